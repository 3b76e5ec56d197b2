import { askGas } from '../../chains/evm/asks.ts'
import type { EvmChain } from '../../chains/evm/create-evm-chain.ts'
import { isOutOfGas } from '../../outgoing/evm/simulate.ts'
import type { Call } from '../../chains/chain.ts'

/**
 * Whether it works, but not with so little gas. A contract that is called with too little gas reverts as well as it runs out of it, so it
 * is asked with the cap and with four times as much; a node is never asked to run a stranger's code for longer. Any other trouble is the
 * queue's to meet, which asks again before it signs.
 */
export async function takesMoreGas(chain: EvmChain, call: Call, cap: bigint, signal: AbortSignal): Promise<boolean> {
  const asked = { from: chain.signer.address, ...call }
  const answers = await chain.rpc
    .attempt(signal, askGas({ ...asked, gas: cap }, 'latest'), askGas({ ...asked, gas: 4n * cap }, 'latest'))
    .catch((): undefined => undefined)
  if (!answers) return false
  const [capped, free] = answers
  if ('value' in capped) return capped.value > cap
  return isOutOfGas(capped.error) || ('value' in free ? free.value > cap : isOutOfGas(free.error))
}
