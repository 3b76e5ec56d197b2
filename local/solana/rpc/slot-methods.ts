import { createHash } from 'node:crypto'
import { getBase58Decoder } from '@solana/kit'
import * as z from 'zod'
import { lifetime } from '../ledger.ts'
import { metaJson, transactionJson, versionOf } from './encode.ts'
import { Address, codes, Config, method, RpcError, withContext } from './method.ts'

/** A chain of its own, so no node of another chain has its name. */
const genesisHash = getBase58Decoder().decode(createHash('sha256').update('till: the local Solana chain').digest())
const slotsInEpoch = 432_000
const BlockConfig = z
  .object({
    commitment: z.enum(['confirmed', 'finalized']).default('finalized'),
    encoding: z.enum(['json', 'base64']).default('json'),
    transactionDetails: z.enum(['full', 'signatures', 'none']).default('full'),
    maxSupportedTransactionVersion: z.int().optional(),
    rewards: z.boolean().optional(),
  })
  .prefault({})

export const slotMethods = {
  getHealth: method([], () => 'ok'),
  getVersion: method([], () => ({ 'solana-core': '2.3.0-till', 'feature-set': 0 })),
  getGenesisHash: method([], () => genesisHash),
  getSlot: method([Config], (ledger, { commitment }) => ledger.tip(commitment).slot),
  getBlockHeight: method([Config], (ledger, { commitment }) => ledger.tip(commitment).height),
  /** The ledger forgets nothing. */
  getFirstAvailableBlock: method([], () => 0),
  getEpochInfo: method([Config], (ledger, { commitment }) => {
    const { slot, height } = ledger.tip(commitment)
    const epoch = Math.floor(slot / slotsInEpoch)
    return { absoluteSlot: slot, blockHeight: height, epoch, slotIndex: slot % slotsInEpoch, slotsInEpoch, transactionCount: null }
  }),
  getLatestBlockhash: method([Config], (ledger, { commitment }) => {
    const { hash, height } = ledger.tip(commitment)
    return withContext(ledger, commitment, { blockhash: hash, lastValidBlockHeight: height + lifetime })
  }),
  // No block here is ever full, so none asks for a price.
  getRecentPrioritizationFees: method([z.array(Address).optional()], (ledger) => {
    const last = ledger.tip('confirmed').slot
    const slots = Array.from({ length: Math.min(lifetime, last) }, (_, i) => last - i).filter((slot) => ledger.block(slot))
    return slots.toReversed().map((slot) => ({ slot, prioritizationFee: 0 }))
  }),
  isBlockhashValid: method([z.string(), Config], (ledger, hash, { commitment }) =>
    withContext(ledger, commitment, ledger.isRecent(hash, commitment)),
  ),
  getBlocks: method([z.int(), z.int().optional(), Config], (ledger, from, to, { commitment }) => {
    const last = Math.min(to ?? Infinity, ledger.tip(commitment).slot)
    return Array.from({ length: Math.max(0, last - from + 1) }, (_, i) => from + i).filter((slot) => ledger.block(slot))
  }),
  getBlockTime: method([z.int()], (ledger, slot) => ledger.block(slot)?.time ?? null),
  getBlock: method([z.int(), BlockConfig], (ledger, slot, { commitment, encoding, transactionDetails }) => {
    const block = ledger.block(slot)
    if (!block || slot > ledger.tip(commitment).slot)
      throw new RpcError(codes.slotSkipped, `Slot ${slot} was skipped, or missing due to ledger jump to recent snapshot`)
    const transactions = block.signatures.flatMap((signature) => ledger.landed(signature) ?? [])
    return {
      blockHeight: block.height,
      blockTime: block.time,
      blockhash: block.hash,
      parentSlot: block.parent?.slot ?? 0,
      previousBlockhash: block.parent?.hash ?? block.hash,
      ...(transactionDetails === 'signatures' && { signatures: block.signatures }),
      ...(transactionDetails === 'full' && {
        transactions: transactions.map((found) => ({
          meta: metaJson(found),
          transaction: transactionJson(found, encoding),
          version: versionOf(found),
        })),
      }),
      rewards: [],
    }
  }),
}
