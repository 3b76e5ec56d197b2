import { useEffect, useRef } from 'preact/hooks'
import { Network } from '../i18n/amount-text.tsx'
import { fewDigits } from '../i18n/few-digits.ts'
import { useAllWords, useWords } from '../i18n/words.ts'
import { above } from '../order/above-price.ts'
import { cheapestFirst, costOf } from '../order/cheapest.ts'
import { fiatOf, fiatPriceOf } from '../order/fiat.ts'
import { currencyField, paymentRequest } from '../order/pay-currency.ts'
import { hrefOf } from '../model/page.ts'
import { pickable, type Pickable } from '../order/pickable.ts'
import { usualMinutes } from '../order/wait.ts'
import { ActionForm } from '../ui/action-form.tsx'
import { Head } from '../ui/head.tsx'
import { Icon } from '../ui/icon.tsx'
import { Coin, TokenMark } from '../ui/mark.tsx'
import { Way } from '../ui/way.tsx'
import { Back } from './pieces/back.tsx'
import { usePage } from './pieces/page-context.ts'
import { ProblemNote } from './pieces/problem-note.tsx'

/** A list of at least this many rows has a search field. */
const minRowsForSearch = 7
/** A network with more rows than this has fewer at once. */
const maxShortRows = 4
/** Of the others this many are named. */
const maxNamed = 4
const typingPauseMs = 250

/** Token and network are a single choice, because a token on the wrong network does not pay the order. */
export const Pick = () => {
  const words = useAllWords()
  const { checkout } = usePage()
  const { query } = checkout.choice.value
  // The server sends the list only for `?pick`, so it is missing after the browser's Back button and when a link names another currency.
  useEffect(() => {
    if (!checkout.currencies.peek() && !checkout.searching.peek()) void checkout.search(query ?? '')
  }, [])
  const order = checkout.order.value
  const listed = pickable(order, checkout.currencies.value, query)
  // The cheapest of those that a search has found need not be the cheapest.
  const sorted = query ? undefined : cheapestFirst(order, listed)
  const rows = sorted ?? listed
  const own = order.fulfillment?.asset?.chain_id
  const networks = [...byNetwork(rows)].map(([chainId, ofNetwork]) => ({ chainId, ofNetwork, minutes: usualMinutes(ofNetwork) }))
  if (!sorted) networks.sort((before, after) => Number(after.chainId === own) - Number(before.chainId === own))
  const isSameEverywhere = new Set(networks.map(({ minutes }) => minutes)).size === 1
  return (
    <>
      <Back />
      <Head title={words.t('pickTitle')}>{words.t('pickLead')}</Head>
      <ProblemNote at="currency" />
      {(query || !checkout.currencies.value || rows.length >= minRowsForSearch || rows.length === 0) && <Search />}
      <ProblemNote at="search" />
      {query && rows.length === 0 && <p class="soft">{words.t('pickNone', { query })}</p>}
      {networks.map(({ chainId, ofNetwork, minutes }) => (
        <section key={chainId} class="stack">
          <div class="network">
            <h2>
              <Network chainId={chainId} />
            </h2>
            {minutes !== undefined && !isSameEverywhere && (
              <span class="soft">{minutes ? words.plural('slowAhead', minutes) : words.t('fastAhead')}</span>
            )}
          </div>
          <PickRows of={ofNetwork} best={sorted?.[0]} isShort={!query} />
        </section>
      ))}
    </>
  )
}

interface PickRowsProps {
  readonly of: readonly Pickable[]
  readonly best: Pickable | undefined
  /** Only the first rows are shown at once, with symbols of the others below them. */
  readonly isShort: boolean
}

const PickRows = ({ of: rows, best, isShort }: PickRowsProps) => {
  const first = isShort && rows.length > maxShortRows ? rows.slice(0, maxShortRows - 1) : rows
  const others = rows.slice(first.length)
  const words = useAllWords()
  const order = usePage().checkout.order.value
  const least = best && others[0] && costOf(order, others[0])
  const item = (row: Pickable) => (
    <li key={row.key}>
      <PickRow of={row} isBest={row === best} />
    </li>
  )
  return (
    <ul class="card">
      {first.map(item)}
      {others.length > 0 && (
        <li>
          <details open={others.some(({ chosen }) => chosen)}>
            <summary class="row slim">
              <span class="coins">
                {others.slice(0, maxNamed).map(({ key, currency: { symbol } }) => (
                  <span key={key}>
                    <TokenMark symbol={symbol} /> {symbol}
                  </span>
                ))}
                {others.length > maxNamed && <span class="num">+{words.count(others.length - maxNamed)}</span>}
                {least && <small>{words.rich('fromPrice', { amount: <span class="num">{words.about(least)}</span> })}</small>}
              </span>
              <Icon name="down" />
            </summary>
            <ul>{others.map(item)}</ul>
          </details>
        </li>
      )}
    </ul>
  )
}

/** Keeps the order of the rows. */
function byNetwork(rows: readonly Pickable[]): ReadonlyMap<number, readonly Pickable[]> {
  const networks = new Map<number, Pickable[]>()
  for (const row of rows) {
    const { chain_id: chainId } = row.currency
    networks.set(chainId, [...(networks.get(chainId) ?? []), row])
  }
  return networks
}

const PickRow = ({ of: row, isBest }: { of: Pickable; isBest: boolean }) => {
  const { currency, chosen, raw, isEstimate } = row
  const words = useAllWords()
  const page = usePage()
  const { checkout } = page
  const order = checkout.order.value
  const amount = raw === undefined ? currency.symbol : words.token(fewDigits(raw, currency.decimals), currency)
  const whole = costOf(order, row)
  const about = whole ?? (raw === undefined ? undefined : fiatOf(order, { raw, currency }))
  const cost = about && <span class="num">{words.about(about)}</span>
  // An estimate is no price, so what is above it need not be a fee.
  const hasFees = whole ?? above(isEstimate ? undefined : fiatPriceOf(order), about)
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
        <Way
          title={[
            currency.symbol,
            <span class="hide"> {words.networkName(currency.chain_id)}</span>,
            isBest && [' ', <span class="best good">{words.t('bestPrice')}</span>],
          ]}
          figure={raw !== undefined && isEstimate ? `≈ ${amount}` : amount}
          notes={[
            about && [
              <span>{currency.name !== currency.symbol && currency.name}</span>,
              <span>{hasFees ? words.rich('withFees', { cost }) : cost}</span>,
            ],
            !whole && <span>{words.t('addressHint')}</span>,
          ]}
        />
        <Icon name="next" />
      </button>
    </ActionForm>
  )
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
      <label class="hide" for="q">
        {words.t('pickSearch')}
      </label>
      <Icon name="find" />
      <input
        type="text"
        id="q"
        name="q"
        placeholder={words.t('pickSearch')}
        defaultValue={choice.query}
        maxLength={200}
        autocomplete="off"
        enterkeyhint="search"
        spellcheck={false}
      />
      <button class="btn two">{words.t('pickFind')}</button>
      {checkout.searching.value && <span class="spin" />}
    </form>
  )
}
