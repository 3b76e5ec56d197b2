import type { Funds } from '../wire/funds.ts'
import { useWords } from './words.ts'

/** '42.50 USDC on Base': one piece that never breaks between number, token and network. */
export const FundsText = ({ of }: { of: Funds }) => <span class="num">{useWords().funds(of)}</span>

/** The network's name behind a square in its colour. */
export const Network = ({ chainId }: { chainId: number }) => <span class={`net n${chainId}`}>{useWords().networkName(chainId)}</span>

/** The large amount. */
export const Amount = ({ of, as: Tag = 'span' }: { of: Funds; as?: 'span' | 'h1' }) => {
  const words = useWords()
  return (
    <Tag class="amt" tabIndex={Tag === 'h1' ? -1 : undefined}>
      <b>{words.amount(of.raw, of.currency.decimals)}</b>{' '}
      <span class="num">{words.rich('tokenOn', { token: of.currency.symbol, network: <Network chainId={of.currency.chain_id} /> })}</span>
    </Tag>
  )
}
