import type { Rejection } from './rejection.ts'
import { isUnspendable, isWitnessProgram, typeOf } from './script.ts'
import type { Output, Transaction } from './transaction.ts'

/** Rates are in satoshis for 1000 virtual bytes. They are the defaults of Bitcoin Core up to 29.0. */
export const minRelayRate = 1000n
export const incrementalRate = 1000n
const dustRate = 3000n

export const mostAncestors = 25
export const mostReplaced = 100
export const mostMempoolBytes = 300_000_000

const mostStandardWeight = 400_000
const mostDataBytes = 83

export const feeAt = (rate: bigint, vsize: number): bigint => (rate * BigInt(vsize) + 999n) / 1000n
export const rateOf = (fee: bigint, vsize: number): bigint => (fee * 1000n) / BigInt(vsize)

/** An output is dust if spending it would cost more than a third of it at the dust rate. */
export function dustLimit({ script }: Pick<Output, 'script'>): bigint {
  if (isUnspendable(script)) return 0n
  const sizeOfOutput = 8 + (script.length < 0xfd ? 1 : 3) + script.length
  const sizeOfInput = isWitnessProgram(typeOf(script)) ? 32 + 4 + 1 + Math.floor(107 / 4) + 4 : 148
  return (dustRate * BigInt(sizeOfOutput + sizeOfInput)) / 1000n
}

/** What a valid transaction must be in addition to be relayed. Versions other than 1 and 2 have rules that this node does not know. */
export function checkStandard({ version, inputs, outputs, weight, strippedSize }: Transaction): Rejection | undefined {
  if (version !== 1 && version !== 2) return { reason: 'version' }
  if (weight > mostStandardWeight) return { reason: 'tx-size' }
  if (inputs.some(({ scriptSig }) => scriptSig.length > 1650)) return { reason: 'scriptsig-size' }
  const types = outputs.map(({ script }) => typeOf(script))
  const isTooMuchData = outputs.some(({ script }, index) => types[index] === 'nulldata' && script.length > mostDataBytes)
  if (isTooMuchData || types.includes('nonstandard')) return { reason: 'scriptpubkey' }
  if (types.filter((type) => type === 'nulldata').length > 1) return { reason: 'multi-op-return' }
  if (outputs.some((output) => output.amount < dustLimit(output))) return { reason: 'dust' }
  if (strippedSize < 65) return { reason: 'tx-size-small' }
  return undefined
}
