import { parseUnits } from '../../src/wire/money.ts'
import { nativeCoin } from '../../src/wire/native-coin.ts'
import type { ChainConfig } from '../chains/table.ts'
import type { ConfirmationTable } from '../orders/model/confirmations.ts'
import { UsageError } from './command.ts'

/** Reads `--confirmations`. Each step is AMOUNT=BLOCKS, in the chain's coin, and the last one has no amount. */
export function parseConfirmations(text: string, chains: readonly ChainConfig[]): ConfirmationTable {
  const [id, list = '', ...more] = text.split(':')
  const chain = chains.find(({ chainId }) => String(chainId) === id)
  if (!chain || more.length > 0)
    throw new UsageError(`--confirmations is CHAIN:STEPS with a chain of TILL_CHAINS, not ${JSON.stringify(text)}.`)
  const { decimals } = nativeCoin(chain.chainId)
  const steps = list.split(',').map((step) => {
    const [blocks = '', amount, ...others] = step.split('=').toReversed()
    const below = amount === undefined ? undefined : parseUnits(amount, decimals)
    if (!/^[1-9]\d{0,2}$/.test(blocks) || others.length > 0 || (amount !== undefined && below === undefined))
      throw new UsageError(`--confirmations has the step ${JSON.stringify(step)}, which is no AMOUNT=BLOCKS.`)
    return { blocks: Number(blocks), ...(below !== undefined && { below }) }
  })
  const ascend = steps.every(({ below }, i) =>
    i === steps.length - 1 ? below === undefined : below !== undefined && below > (steps[i - 1]?.below ?? 0n),
  )
  if (!ascend) throw new UsageError('--confirmations must ascend, and its last step has no amount.')
  return { chainId: chain.chainId, steps }
}
