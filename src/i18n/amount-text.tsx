import type { Funds } from '../wire/funds.ts'
import { useWords } from './words.ts'

/** A text like '42.50 USDC on Base' never wraps, so that number, token and network are read together. */
export const FundsText = ({ of }: { of: Funds }) => <span class="num">{useWords().funds(of)}</span>

/** A square in the network's colour (network.css) precedes the name, because payers mistake one network for another. */
export const Network = ({ chainId }: { chainId: number }) => <span class={`net n${chainId}`}>{useWords().networkName(chainId)}</span>

export const Amount = ({ of, as: Tag = 'span' }: { of: Funds; as?: 'span' | 'h1' }) => {
  const words = useWords()
  return (
    <Tag class="amt" tabIndex={Tag === 'h1' ? -1 : undefined}>
      <b>{words.amount(of.raw, of.currency.decimals)}</b>{' '}
      <span class="num">{words.rich('tokenOn', { token: of.currency.symbol, network: <Network chainId={of.currency.chain_id} /> })}</span>
    </Tag>
  )
}
