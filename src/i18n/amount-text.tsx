import type { Fiat } from '../wire/fiat.ts'
import type { Funds } from '../wire/funds.ts'
import { NetworkMark } from '../ui/mark.tsx'
import { useWords } from './words.ts'

/** In a text like '42.50 USDC on Base', number and token stay on one line, and the network may stand on the next. */
export const FundsText = ({ of: { raw, currency } }: { of: Funds }) => {
  const words = useWords()
  const token = <span class="num">{words.token(raw, currency)}</span>
  return <>{words.rich('tokenOn', { token, network: words.networkName(currency.chain_id) })}</>
}

/** The network's mark precedes the name, because payers mistake one network for another. */
export const Network = ({ chainId }: { chainId: number }) => (
  <span class="net">
    <NetworkMark chainId={chainId} />
    {useWords().networkName(chainId)}
  </span>
)

/** About how much something is worth in money that the payer knows. */
export const Worth = ({ of }: { of: Fiat | undefined }) => {
  const words = useWords()
  return of ? <span class="num">{words.about(of)}</span> : null
}
