import { decodeFunctionData, type Hex } from 'viem'
import { TillFactory } from './contracts/artifacts/TillFactory.ts'
import type { FactoryEvent } from './factory-events.ts'

/** What one call has done, by the events of its terms in the transaction. */
export interface CallOutcome {
  /** For each leg, in order, this is true if its money moved. */
  readonly paid: readonly boolean[]
  /** A conversion has yielded this much. */
  readonly swapped?: bigint
  /** This is the first word of why a conversion failed. */
  readonly failure?: Hex
  /** These events belong to other calls. */
  readonly rest: readonly FactoryEvent[]
}

type Paid = Extract<FactoryEvent, { type: 'Paid' | 'NotPaid' }>
type PlannedLeg = Pick<Paid, 'role' | 'token' | 'to' | 'amount'>

/**
 * A recipient of coin is called, and can call the factory again within our call. So the events are matched by what they say and not by their
 * places.
 */
export function callOutcome(data: string, events: readonly FactoryEvent[]): CallOutcome {
  const rest = [...events]
  const take = (is: (event: FactoryEvent) => boolean): FactoryEvent | undefined => {
    const found = rest.find(is)
    if (found) rest.splice(rest.indexOf(found), 1)
    return found
  }
  const pay = (leg: PlannedLeg): boolean => {
    const isTried = (type: Paid['type']) => (event: FactoryEvent) => event.type === type && isSameLeg(event, leg)
    // If two calls tried the same leg and one has paid it, then it is paid, whichever it was.
    return (take(isTried('Paid')) ?? take(isTried('NotPaid')))?.type === 'Paid'
  }
  const call = callOf(data)
  switch (call?.functionName) {
    case 'settle': {
      const [{ settlement }, toRecipient, fee] = call.args
      return { paid: settlementLegs(settlement, toRecipient, fee).map(pay), rest }
    }
    case 'refund': {
      const [, , token, legs] = call.args
      return { paid: legs.map(({ to, amount }) => pay(legOf('refund', token, to, amount))), rest }
    }
    case 'convert': {
      const [{ settlement }, swap, fee, { nonce }] = call.args
      const failed = take((event) => event.type === 'NotConverted' && event.nonce === nonce)
      if (failed?.type === 'NotConverted') return { paid: [], failure: failed.reason, rest }
      const token = swap.token.toLowerCase()
      const converted = take((event) => event.type === 'Converted' && event.tokenIn === token && event.amountIn === swap.amount)
      if (converted?.type !== 'Converted') return { paid: [], rest }
      const { amountOut } = converted
      return { paid: settlementLegs(settlement, amountOut - fee, fee).map(pay), swapped: amountOut, rest }
    }
    default:
      return { paid: [], rest }
  }
}

const { abi } = TillFactory

/** A payer's authorised call is none of the factory's, and a move for which the guard has not signed yet has no call. */
function callOf(data: string) {
  try {
    return decodeFunctionData({ abi, data: data as Hex })
  } catch {
    return undefined
  }
}

const legOf = (role: PlannedLeg['role'], token: string, to: string, amount: bigint): PlannedLeg => ({
  role,
  token: token.toLowerCase(),
  to: to.toLowerCase(),
  amount,
})

const settlementLegs = (
  { token, recipient, feeCollector }: { readonly token: string; readonly recipient: string; readonly feeCollector: string },
  toRecipient: bigint,
  fee: bigint,
): readonly PlannedLeg[] => [
  legOf('recipient', token, recipient, toRecipient),
  ...(fee > 0n ? [legOf('fees', token, feeCollector, fee)] : []),
]

const isSameLeg = (a: PlannedLeg, b: PlannedLeg): boolean =>
  a.role === b.role && a.token === b.token && a.to === b.to && a.amount === b.amount
