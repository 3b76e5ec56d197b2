import { medianTime, subsidyAt, type Chain } from './chain.ts'
import { encodeBlock, merkleRoot, regtestBits, solve, witnessCommitment } from './block.ts'
import type { Entry, Mempool } from './mempool.ts'
import { rateOf } from './policy.ts'
import { coinbase, type Transaction } from './transaction.ts'

const mostWeight = 4_000_000
/** Room for the header, the count and the coinbase. */
const reservedWeight = 8_000

/** Regtest has a deployment that exists for tests (BIP 9), and a real node's blocks signal for it until it is active. */
const versionAt = (height: number): number => (height >= 144 && height < 432 ? 0x30000000 : 0x20000000)

/** Makes the next block of the tip. Its fees go to the script with the reward. */
export function mineBlock(chain: Chain, script: Uint8Array, transactions: readonly Transaction[], fees: bigint, now: number): Buffer {
  const tip = chain.tip()
  const height = tip.height + 1
  const reward = coinbase(height, [
    { amount: subsidyAt(height) + fees, script },
    { amount: 0n, script: witnessCommitment(transactions) },
  ])
  const all = [reward, ...transactions]
  const header = solve({
    version: versionAt(height),
    previous: tip.hash,
    merkleRoot: merkleRoot(all.map(({ txid }) => txid)),
    time: Math.max(now, medianTime(tip) + 1),
    bits: regtestBits,
  })
  return encodeBlock(header, all)
}

/** Chooses what pays most for its size, counted with the ancestors that it needs, until the block is full. */
export function chooseEntries(mempool: Mempool): Entry[] {
  const packages = [...mempool.entries()].map((entry) => {
    const needed = [...mempool.ancestors(entry), entry]
    const fee = needed.reduce((total, { fee }) => total + fee, 0n)
    const size = needed.reduce((total, { transaction }) => total + transaction.vsize, 0)
    return { needed: needed.sort((a, b) => mempool.ancestors(a).size - mempool.ancestors(b).size), rate: rateOf(fee, size) }
  })
  const chosen = new Set<Entry>()
  let weight = reservedWeight
  for (const { needed } of packages.sort((a, b) => (a.rate === b.rate ? 0 : a.rate < b.rate ? 1 : -1))) {
    const added = needed.filter((entry) => !chosen.has(entry))
    const addedWeight = added.reduce((sum, entry) => sum + entry.transaction.weight, 0)
    if (weight + addedWeight > mostWeight) continue
    weight += addedWeight
    for (const entry of added) chosen.add(entry)
  }
  return [...chosen]
}
