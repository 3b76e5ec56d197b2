import * as z from 'zod/mini'
import { ChainId } from './chain.ts'
import { Pagination } from './pagination.ts'
import { DateTime } from './scalars.ts'

const Text = z.record(z.string(), z.string())

/** What a wallet signs (EIP-712), as `eth_signTypedData_v4` takes it. Whole numbers are strings, since JSON has no others that are exact. */
export const MoveTypedData = z.object({
  domain: Text,
  types: z.record(z.string(), z.array(z.object({ name: z.string(), type: z.string() }))),
  primaryType: z.string(),
  message: z.record(z.string(), z.union([z.string(), z.array(Text)])),
})
export type MoveTypedData = z.infer<typeof MoveTypedData>

/** A refund or a conversion that needs the signature of the organisation's own guard. */
export const GuardMove = z.object({
  /** The hash of `typed_data`, which is what ERC-1271 wallets are asked about. */
  digest: z.string(),
  order_id: z.string(),
  chain_id: ChainId,
  guard: z.string(),
  state: z.enum(['waiting', 'signed']),
  asked_at: DateTime,
  /** After it the signature is of no use, and the same move is listed anew with another digest. */
  deadline: DateTime,
  typed_data: MoveTypedData,
})
export type GuardMove = z.infer<typeof GuardMove>

export const GuardMoveList = z.object({ data: z.array(GuardMove), pagination: Pagination })
export const GuardMovePath = z.object({ digest: z.string().check(z.regex(/^0x[0-9a-f]{64}$/)) })
export const GuardMoveSignature = z.strictObject({
  signature: z.string().check(z.regex(/^0x([0-9a-fA-F]{2}){1,4096}$/, 'must be 0x and hex digits, at most 4096 bytes')),
})
