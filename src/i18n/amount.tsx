import type { Fiat } from '../wire/fiat.ts'
import type { Funds } from '../wire/funds.ts'
import { Network } from './amount-text.tsx'
import { useWords } from './words.ts'

/** What a card was charged. */
export const FiatTitle = ({ of, said }: { of: Fiat; said: string }) => (
  <h1 class="amt" tabIndex={-1}>
    <span class="hide">{said} </span>
    <b class="num">{useWords().fiat(of.decimal, of.unit)}</b>
  </h1>
)

/** The amount alone is large, as on a receipt. Screen readers say what has become of it first. */
export const AmountTitle = ({ of, said }: { of: Funds; said: string }) => {
  const words = useWords()
  return (
    <h1 class="amt" tabIndex={-1}>
      <span class="hide">{said} </span>
      <b class="num">{words.amount(of.raw, of.currency.decimals)}</b>{' '}
      <span>{words.rich('tokenOn', { token: of.currency.symbol, network: <Network chainId={of.currency.chain_id} /> })}</span>
    </h1>
  )
}
