import type { Funds } from '../wire/funds.ts'
import { Network } from './amount-text.tsx'
import { useWords } from './words.ts'

/** The amount alone is large, as on a receipt. */
export const Amount = ({ of, as: Tag = 'span' }: { of: Funds; as?: 'span' | 'h1' }) => {
  const words = useWords()
  return (
    <Tag class="amt" tabIndex={Tag === 'h1' ? -1 : undefined}>
      <b class="num">{words.amount(of.raw, of.currency.decimals)}</b>{' '}
      <span>{words.rich('tokenOn', { token: of.currency.symbol, network: <Network chainId={of.currency.chain_id} /> })}</span>
    </Tag>
  )
}
