import * as z from 'zod/mini'
import { ChainId } from './chain.ts'
import { Address, DateTime } from './scalars.ts'

/** An organisation is paid in this currency, `null` being the native coin. Its sales go to the recipient, and their fees to the collector. */
export const Settlement = z.object({
  chain_id: ChainId,
  address: z.nullable(z.string()),
  recipient: z.string(),
  fee_collector: z.string(),
})
export type Settlement = z.infer<typeof Settlement>

export const Settlements = z.object({
  /** New orders may settle in any of these. The first is the default. */
  settlements: z.array(Settlement),
  /** This list was asked for by API, and replaces the other when it comes into force. */
  pending: z.optional(z.object({ settlements: z.array(Settlement), asked_at: DateTime, in_force_at: DateTime })),
})
export type Settlements = z.infer<typeof Settlements>

export const SettlementsChange = z.strictObject({
  settlements: z.array(
    z.strictObject({
      chain_id: ChainId,
      address: z.nullable(Address),
      recipient: Address,
      /** The operator sets it, so it may only repeat what is set. */
      fee_collector: z.optional(Address),
    }),
  ),
  /** A recipient that has code on one of its chains and none on another is probably a contract that does not exist there. */
  confirmed: z.optional(z.boolean()),
})
export type SettlementsChange = z.infer<typeof SettlementsChange>
