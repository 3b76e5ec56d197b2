import { keccak256, stringToBytes } from 'viem'
import * as z from 'zod'
import { OrderTerms } from '../../../src/wire/terms/order-terms.ts'
import { parseRoute, type Route, routeName } from './exchange/route.ts'
import { type MoveReason, moveReasons } from '../guard.ts'
import type { Leg, Payout } from '../payouts.ts'

/** A move as it is stored until the guard has signed for it. */
export interface UnsignedMove {
  readonly terms: OrderTerms
  readonly tokenIn: string | null
  readonly tokenOut: string | null
  readonly legs: readonly Leg[]
  readonly conversion?: PlannedConversion
  readonly reason: MoveReason
}

/** The route is chosen just before the guard is asked. From then on it stays, since a nonce stands for one move. */
export interface PlannedConversion extends Pick<NonNullable<Payout['swap']>, 'amountIn' | 'minOut' | 'slippageBps'> {
  readonly chosen?: ChosenRoute
}

export interface ChosenRoute {
  readonly route: Route
  readonly leastOut: bigint
}

/** A payout keeps its nonce whatever is signed for it, so that the factory never moves its money twice. */
export const moveNonce = (payoutId: string): bigint => BigInt(keccak256(stringToBytes(payoutId)))

const Units = z.string().transform(BigInt)
const Token = z.string().nullable()
const RouteName = z.string().transform((text, context) => {
  const route = parseRoute(text)
  if (!route) context.addIssue('is not a route')
  return route ?? z.NEVER
})

const Planned = z.object({
  amount_in: Units,
  min_out: Units,
  slippage_bps: z.int(),
  chosen: z.object({ route: RouteName, least_out: Units }).optional(),
})

/** Release 3.8 chose the route with the quote, and asked for no more than this least output. */
const PlannedEarlier = z
  .object({ amount_in: Units, least_out: Units })
  .transform(({ amount_in, least_out }): z.output<typeof Planned> => ({ amount_in, min_out: least_out, slippage_bps: 10_000 }))

const Row = z.object({
  terms: OrderTerms,
  token_in: Token,
  token_out: Token,
  legs: z.array(z.object({ to: z.string(), amount: Units })),
  conversion: z.union([Planned, PlannedEarlier]).optional(),
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
      min_out: conversion.minOut.toString(),
      slippage_bps: conversion.slippageBps,
      ...(conversion.chosen && {
        chosen: { route: routeName(conversion.chosen.route), least_out: conversion.chosen.leastOut.toString() },
      }),
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
      conversion: {
        amountIn: conversion.amount_in,
        minOut: conversion.min_out,
        slippageBps: conversion.slippage_bps,
        ...(conversion.chosen && { chosen: { route: conversion.chosen.route, leastOut: conversion.chosen.least_out } }),
      },
    }),
    reason,
  }
}
