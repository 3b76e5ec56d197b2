import { address as parseAddress, getBase58Encoder, isAddress } from '@solana/kit'
import * as z from 'zod'
import type { Commitment as CommitmentName, Ledger } from '../ledger.ts'

/** A real node's error codes. */
export const codes = {
  parse: -32700,
  invalidRequest: -32600,
  unknownMethod: -32601,
  invalidParams: -32602,
  internal: -32603,
  preflight: -32002,
  signature: -32003,
  slotSkipped: -32007,
  unsupportedVersion: -32015,
  behind: -32016,
} as const

export class RpcError extends Error {
  override readonly name = 'RpcError'
  constructor(
    readonly code: number,
    message: string,
    readonly data?: unknown,
  ) {
    super(message)
  }
}

export type Method = (ledger: Ledger, params: readonly unknown[]) => unknown

/** Parameters have positions, and those at the end may be left out. */
export const method =
  <const Items extends readonly z.ZodType[]>(items: Items, run: (ledger: Ledger, ...params: Parsed<Items>) => unknown): Method =>
  (ledger, given) => {
    const parsed = items.map((item, i) => item.safeParse(given[i] ?? undefined))
    const wrong = parsed.find((result) => !result.success)
    if (wrong?.error) throw new RpcError(codes.invalidParams, `Invalid params: ${wrong.error.issues[0]?.message}.`)
    return run(ledger, ...(parsed.map(({ data }) => data) as Parsed<Items>))
  }

type Parsed<Items extends readonly z.ZodType[]> = { -readonly [K in keyof Items]: z.output<Items[K]> }

export const Address = z
  .string()
  .refine(isAddress, 'expected an address')
  .transform((text) => parseAddress(text))
export const Signature = z.string().refine(isSignature, 'expected a signature')

function isSignature(text: string): boolean {
  try {
    return getBase58Encoder().encode(text).length === 64
  } catch {
    return false
  }
}

export const Commitment = z.enum(['processed', 'confirmed', 'finalized']).default('finalized')
const least = { commitment: Commitment, minContextSlot: z.int().optional() }
export const Config = z.object(least).prefault({})
export const AccountConfig = z
  .object({
    ...least,
    encoding: z.enum(['base64', 'jsonParsed']).default('base64'),
    dataSlice: z.object({ offset: z.int(), length: z.int() }).optional(),
  })
  .prefault({})

/** Says at which slot the node has looked. */
export function withContext<T>(
  ledger: Ledger,
  commitment: CommitmentName,
  value: T,
): { context: { apiVersion: string; slot: number }; value: T } {
  return { context: { apiVersion: '2.3.0', slot: ledger.tip(commitment).slot }, value }
}

/** A caller that has seen a newer slot elsewhere wants no older answer. */
export function requireSlot(ledger: Ledger, { commitment, minContextSlot = 0 }: z.output<typeof Config>): void {
  const { slot } = ledger.tip(commitment)
  if (slot < minContextSlot) throw new RpcError(codes.behind, 'Minimum context slot has not been reached', { contextSlot: slot })
}
