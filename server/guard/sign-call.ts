import * as z from 'zod/mini'
import { ChainId } from '../../src/wire/chain.ts'
import { RawString } from '../../src/wire/scalars.ts'
import { OrderTerms } from '../../src/wire/terms/order-terms.ts'
import { type GuardRequest, moveReasons } from '../chains/guard.ts'

/** POST /sign of a guard's process. Whole numbers are strings, since JSON has no others that are exact. */
const Address = z.string().check(z.regex(/^0x[0-9a-fA-F]{40}$/))

const Move = z.strictObject({
  token_in: z.nullable(Address),
  token_out: z.nullable(Address),
  legs: z.array(z.strictObject({ to: Address, amount: RawString })).check(z.maxLength(8)),
  conversion: z.optional(
    z.strictObject({
      amount_in: RawString,
      least_out: RawString,
      router: Address,
      data: z.string().check(z.regex(/^0x([0-9a-fA-F]{2})*$/)),
    }),
  ),
  nonce: RawString,
  deadline: RawString,
})

export const SignCall = z.strictObject({
  chain_id: ChainId,
  terms: OrderTerms,
  move: Move,
  reason: z.strictObject({
    kind: z.enum(moveReasons),
    evidence: z.optional(z.unknown()),
  }),
})
export type SignCall = z.infer<typeof SignCall>

export const SignAnswer = z.strictObject({ signature: z.string().check(z.regex(/^0x[0-9a-fA-F]{130}$/)) })

/** `refused` is for ever, and everything else may be asked again. */
export const SignError = z.object({ code: z.enum(['refused', 'not_yet', 'unauthorized', 'invalid', 'failed']), message: z.string() })
export type SignError = z.infer<typeof SignError>

export const callOf = ({ chainId, terms, move, reason }: GuardRequest): SignCall => ({
  chain_id: chainId,
  terms,
  move: {
    token_in: move.tokenIn,
    token_out: move.tokenOut,
    legs: move.legs.map(({ to, amount }) => ({ to, amount: amount.toString() })),
    ...(move.conversion && {
      conversion: {
        amount_in: move.conversion.amountIn.toString(),
        least_out: move.conversion.leastOut.toString(),
        router: move.conversion.router,
        data: move.conversion.data,
      },
    }),
    nonce: move.nonce.toString(),
    deadline: move.deadline.toString(),
  },
  reason: { kind: reason.kind, ...(reason.evidence !== undefined && { evidence: reason.evidence }) },
})

export const requestOf = ({ chain_id, terms, move, reason }: SignCall): GuardRequest => ({
  chainId: chain_id,
  terms,
  move: {
    tokenIn: move.token_in,
    tokenOut: move.token_out,
    legs: move.legs.map(({ to, amount }) => ({ to, amount: BigInt(amount) })),
    ...(move.conversion && {
      conversion: {
        amountIn: BigInt(move.conversion.amount_in),
        leastOut: BigInt(move.conversion.least_out),
        router: move.conversion.router,
        data: move.conversion.data as `0x${string}`,
      },
    }),
    nonce: BigInt(move.nonce),
    deadline: BigInt(move.deadline),
  },
  reason: { kind: reason.kind, ...(reason.evidence !== undefined && { evidence: reason.evidence }) },
})
