import { keccak256, type Hex } from 'viem'
import type { Fees } from './fees.ts'
import type { Attempt, Driver, Send, Slot } from './send.ts'

export async function sign(
  { chain }: Driver,
  { call }: Pick<Send, 'call'>,
  { nonce }: Pick<Slot, 'nonce'>,
  { gas, fees }: { readonly gas: bigint; readonly fees: Fees },
  signal: AbortSignal,
): Promise<Attempt> {
  const raw = await chain.signer.sign({ ...call, ...fees, chainId: chain.id, nonce, gas }, signal)
  return { txHash: keccak256(raw as Hex), nonce, isEmpty: false, raw, gas, ...fees, ageMs: 0 }
}
