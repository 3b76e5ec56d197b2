/** Bytes that are not in the witness weigh 4, and those in it 1. A virtual byte is 4 of weight. */
const inputWeight = 4n * 41n
/** A signature of up to 72 bytes and a key of 33, with their lengths. */
const witnessWeight = 108n

const countSize = (count: number): bigint => (count < 0xfd ? 1n : 3n)

/** Returns the largest virtual size of a transaction that spends this many P2WPKH outputs and pays these scripts. */
export function virtualSize(inputs: number, scriptLengths: readonly number[]): bigint {
  const outputs = scriptLengths.reduce((total, length) => total + 9n + BigInt(length), 0n)
  const base = 8n + countSize(inputs) + countSize(scriptLengths.length) + outputs
  const weight = 4n * base + BigInt(inputs) * (inputWeight + witnessWeight) + 2n
  return (weight + 3n) / 4n
}

/** The lowest rate at which nodes relay a transaction, unless their mempools are full. */
export const relayRate = 1_000n

/** Rates are in satoshis for a thousand virtual bytes. */
export const feeFor = (size: bigint, rate: bigint): bigint => (size * rate + 999n) / 1000n
