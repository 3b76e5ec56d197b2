import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { Cost, Network } from '../i18n/amount-text.tsx'
import { fewDigits } from '../i18n/few-digits.ts'
import { type AllWords, useAllWords, useWords } from '../i18n/words.ts'
import { abovePrice } from '../order/above-price.ts'
import { fiatOf } from '../order/fiat.ts'
import { currencyField, paymentRequest } from '../order/pay-currency.ts'
import { hrefOf } from '../model/page.ts'
import { pickable, type Pickable } from '../order/pickable.ts'
import { ActionForm } from '../ui/action-form.tsx'
import { Head } from '../ui/head.tsx'
import { Icon } from '../ui/icon.tsx'
import { Coin } from '../ui/mark.tsx'
import type { Fiat } from '../wire/fiat.ts'
import { Back } from './pieces/back.tsx'
import { usePage } from './pieces/page-context.ts'
import { ProblemNote } from './pieces/problem-note.tsx'

/** A list of at least this many rows has a search field. */
const minRowsForSearch = 7
const typingPauseMs = 250

/** Token and network are a single choice, because a token on the wrong network does not pay the order. */
export const Pick = () => {
  const words = useWords()
  const { checkout } = usePage()
  const { query } = checkout.choice.value
  // The server sends the list only for `?pick`, so it is missing after the browser's Back button and when a link names another currency.
  useEffect(() => {
    if (!checkout.currencies.peek() && !checkout.searching.peek()) void checkout.search(query ?? '')
  }, [])
  const rows = pickable(checkout.order.value, checkout.currencies.value, query)
  return (
    <>
      <Back />
      <Head title={words.t('pickTitle')}>{words.t('pickLead')}</Head>
      <ProblemNote at="currency" />
      {(query || !checkout.currencies.value || rows.length >= minRowsForSearch || rows.length === 0) && <Search />}
      <ProblemNote at="search" />
      {query && rows.length === 0 && <p class="soft">{words.t('pickNone', { query })}</p>}
      {[...byNetwork(rows)].map(([chainId, ofNetwork]) => (
        <section key={chainId} class="stack">
          <h2>
            <Network chainId={chainId} />
          </h2>
          <ul class="card">
            {ofNetwork.map((row) => (
              <li key={row.key}>
                <PickRow of={row} />
              </li>
            ))}
          </ul>
        </section>
      ))}
    </>
  )
}

/** Keeps the order of the rows: the network of the first one is the first. */
function byNetwork(rows: readonly Pickable[]): ReadonlyMap<number, readonly Pickable[]> {
  const networks = new Map<number, Pickable[]>()
  for (const row of rows) {
    const { chain_id: chainId } = row.currency
    networks.set(chainId, [...(networks.get(chainId) ?? []), row])
  }
  return networks
}

const PickRow = ({ of: row }: { of: Pickable }) => {
  const { currency, chosen, raw, isEstimate, fee } = row
  const words = useAllWords()
  const page = usePage()
  const { checkout } = page
  const order = checkout.order.value
  const funds = raw === undefined ? undefined : { raw, currency }
  const price = raw === undefined ? undefined : words.token(fewDigits(raw, currency.decimals), currency)
  const whole = funds && fee && fiatOf(order, funds, fee)
  const cost = funds && !isEstimate ? abovePrice(order, funds) : undefined
  return (
    <ActionForm
      action={hrefOf(page, checkout.choice.value)}
      fields={{ act: 'currency', ...currencyField(currency) }}
      onAct={() => checkout.pay(paymentRequest(currency))}
    >
      <button
        class="row"
        aria-disabled={checkout.busy.value === 'currency' ? 'true' : undefined}
        aria-current={chosen ? 'true' : undefined}
      >
        <Coin of={currency} />
        <span class="ways">
          <span class="way">
            <b>{currency.name ?? currency.symbol}</b>
            <b class="num">{price === undefined ? currency.symbol : isEstimate ? words.t('pickAbout', { amount: price }) : price}</b>
          </span>
          <span class="way">
            <span>{costTexts(words, cost, row).map((text, at) => [at > 0 && ' · ', text])}</span>
            <Cost all={whole} alone={funds && fiatOf(order, funds)} />
          </span>
          <span class="hide">{words.networkName(currency.chain_id)}</span>
        </span>
        <Icon name="next" />
      </button>
    </ActionForm>
  )
}

/** Says what of the amount is not the order's price, and what the sender's network asks beside the amount. */
function costTexts(words: AllWords, cost: Fiat | undefined, { isSettlementAsset, fee }: Pickable): ComponentChildren[][] {
  const text = ({ decimal, unit }: Fiat) => ({ fee: <span class="num">{words.fiat(decimal, unit)}</span> })
  return [
    ...(isSettlementAsset ? [[words.t('pickRecommended')]] : []),
    ...(cost ? [words.rich(isSettlementAsset ? 'feesIncluded' : 'conversionIncluded', text(cost))] : []),
    ...(fee ? [words.rich('addressFee', text({ decimal: String(fee.amount), unit: fee.unit }))] : []),
  ]
}

const Search = () => {
  const words = useWords()
  const { boot, checkout } = usePage()
  const choice = checkout.choice.value
  const typing = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const search = (form: HTMLFormElement) => {
    clearTimeout(typing.current)
    void checkout.search(String(new FormData(form).get('q') ?? '').trim())
  }
  useEffect(() => () => clearTimeout(typing.current), [])
  return (
    <form
      class="ask"
      method="get"
      action={boot.path}
      role="search"
      onInput={({ currentTarget: form }) => {
        clearTimeout(typing.current)
        typing.current = setTimeout(() => search(form), typingPauseMs)
      }}
      onSubmit={(event) => {
        event.preventDefault()
        search(event.currentTarget)
      }}
    >
      <input type="hidden" name="method" value="address" />
      <input type="hidden" name="pick" value="" />
      {boot.asked && <input type="hidden" name="locale" value={boot.asked} />}
      <label for="q">{words.t('pickSearch')}</label>
      <input type="text" id="q" name="q" defaultValue={choice.query} maxLength={200} autocomplete="off" spellcheck={false} />
      <button class="btn two">
        {checkout.searching.value && <span class="spin" />}
        {words.t('pickFind')}
      </button>
    </form>
  )
}
