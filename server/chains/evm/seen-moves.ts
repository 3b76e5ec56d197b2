import { zeroAddress } from 'viem'
import { groupBy } from '../../lib/group-by.ts'
import { depositAddressOf } from '../../../src/wire/terms/terms-hash.ts'
import type { SeenMove, SeenPayment, SeenRefund } from '../moves.ts'
import { callOutcome } from './call-outcome.ts'
import { type FactoryEvent, factoryEvents } from './factory-events.ts'
import type { Log } from './rpc-calls.ts'

/** A call of ours that one of our transactions contains. */
export interface OwnCall {
  readonly termsHash: string
  readonly data: string
}

/** Returns what others have moved: all that our own calls in the same transactions do not account for. */
export function seenMoves(factory: string, logs: readonly Log[], ownCalls: ReadonlyMap<string, readonly OwnCall[]>): readonly SeenMove[] {
  const groups = groupBy(logs, ({ transactionHash }) => transactionHash)
  return [...groups].flatMap(([txHash, ofTransaction]) => {
    const byTerms = groupBy(factoryEvents(factory, ofTransaction), ({ terms }) => terms)
    return [...byTerms].flatMap(([terms, events]) => {
      const own = (ownCalls.get(txHash) ?? []).filter(({ termsHash }) => termsHash === terms)
      const rest = own.reduce<readonly FactoryEvent[]>((left, { data }) => callOutcome(data, left).rest, events)
      return movesOf(factory, ofTransaction[0]!, rest)
    })
  })
}

/**
 * A settlement emits the recipient's leg and then the fee's, and a conversion comes before both. The contract keeps the flat fees by call, so
 * every call is a move of its own.
 */
function movesOf(factory: string, { blockHash, blockNumber, transactionHash }: Log, events: readonly FactoryEvent[]): readonly SeenMove[] {
  const payments: SeenPayment[] = []
  const refunds = new Map<string, SeenRefund>()
  const seen = ({ terms, logIndex }: FactoryEvent, token: string) => ({
    id: `${blockHash}:${transactionHash}:${logIndex}`,
    txHash: transactionHash,
    from: depositAddressOf(factory, terms.slice(2)),
    token: orNull(token),
    height: blockNumber,
  })
  for (const event of events) {
    if (event.type === 'Converted') {
      const conversion = { tokenIn: orNull(event.tokenIn), amountIn: event.amountIn, amountOut: event.amountOut }
      payments.push({ ...seen(event, event.tokenOut), kind: 'payment', legs: [], conversion })
    }
    if (event.type !== 'Paid') continue
    const { role, token, to, amount } = event
    if (role === 'refund') {
      const known = refunds.get(token) ?? { ...seen(event, token), kind: 'refund', legs: [] }
      refunds.set(token, { ...known, legs: [...known.legs, { to, amount }] })
      continue
    }
    const at = payments.findLastIndex((payment) => payment.token === orNull(token))
    const last = payments[at]
    const follows =
      role === 'recipient' ? last?.conversion && last.legs.length === 0 : last && !last.legs.some((leg) => leg.role === 'fees')
    if (last && follows) payments[at] = { ...last, legs: [...last.legs, { role, to, amount }] }
    else payments.push({ ...seen(event, token), kind: 'payment', legs: [{ role, to, amount }] })
  }
  return [...payments, ...refunds.values()].flatMap(withoutEmptyLegs)
}

const orNull = (token: string): string | null => (token === zeroAddress ? null : token)

/** A call can pay nothing to its recipient. */
function withoutEmptyLegs(move: SeenMove): readonly SeenMove[] {
  const isPaid = ({ amount }: { readonly amount: bigint }) => amount > 0n
  const paid: SeenMove = move.kind === 'refund' ? { ...move, legs: move.legs.filter(isPaid) } : { ...move, legs: move.legs.filter(isPaid) }
  return paid.legs.length > 0 || (paid.kind === 'payment' && paid.conversion) ? [paid] : []
}
