import { keccak256, stringToBytes, type Hex } from 'viem'
import * as z from 'zod'
import { OrderTerms } from '../../../src/wire/terms/order-terms.ts'
import { type MoveReason, moveReasons } from '../guard.ts'
import type { Leg } from '../payouts.ts'

/** A move as it is stored until the guard has signed for it. */
export interface UnsignedMove {
  readonly terms: OrderTerms
  readonly tokenIn: string | null
  readonly tokenOut: string | null
  readonly legs: readonly Leg[]
  readonly conversion?: { readonly amountIn: bigint; readonly leastOut: bigint; readonly router: string; readonly data: Hex }
  readonly reason: MoveReason
}

/** A payout keeps its nonce whatever is signed for it, so that the factory never moves its money twice. */
export const moveNonce = (payoutId: string): bigint => BigInt(keccak256(stringToBytes(payoutId)))

const Units = z.string().transform(BigInt)
const Token = z.string().nullable()

const Row = z.object({
  terms: OrderTerms,
  token_in: Token,
  token_out: Token,
  legs: z.array(z.object({ to: z.string(), amount: Units })),
  conversion: z
    .object({ amount_in: Units, least_out: Units, router: z.string(), data: z.custom<Hex>((data) => typeof data === 'string') })
    .optional(),
  reason: z.object({ kind: z.enum(moveReasons), evidence: z.json().optional() }),
})

export const moveRow = ({ terms, tokenIn, tokenOut, legs, conversion, reason }: UnsignedMove): z.input<typeof Row> => ({
  terms,
  token_in: tokenIn,
  token_out: tokenOut,
  legs: legs.map(({ to, amount }) => ({ to, amount: amount.toString() })),
  ...(conversion && {
    conversion: {
      amount_in: conversion.amountIn.toString(),
      least_out: conversion.leastOut.toString(),
      router: conversion.router,
      data: conversion.data,
    },
  }),
  reason: { kind: reason.kind, ...(reason.evidence !== undefined && { evidence: z.json().parse(reason.evidence) }) },
})

export function moveOfRow(row: unknown): UnsignedMove {
  const { terms, token_in, token_out, legs, conversion, reason } = Row.parse(row)
  return {
    terms,
    tokenIn: token_in,
    tokenOut: token_out,
    legs,
    ...(conversion && {
      conversion: { amountIn: conversion.amount_in, leastOut: conversion.least_out, router: conversion.router, data: conversion.data },
    }),
    reason,
  }
}
