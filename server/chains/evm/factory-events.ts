import { decodeEventLog, getAbiItem, toEventSelector, toFunctionSelector, type Hex } from 'viem'
import { formatAbiItem } from 'viem/utils'
import { TillFactory } from './contracts/artifacts/TillFactory.ts'
import type { PaidLegs } from '../payouts.ts'
import { callOutcome } from './call-outcome.ts'
import type { Receipt } from './receipt.ts'

const { abi } = TillFactory

const orderFailedTopic = toEventSelector(getAbiItem({ abi, name: 'OrderFailed' }))

const roles = ['recipient', 'fees', 'refund'] as const

interface Emitted {
  readonly terms: Hex
  readonly logIndex: number
}

/** A call of the factory has moved money from the address of these terms, or has failed to. The zero address is the native coin. */
export type FactoryEvent =
  | (Emitted & {
      readonly type: 'Paid' | 'NotPaid'
      readonly role: (typeof roles)[number]
      readonly token: string
      readonly to: string
      readonly amount: bigint
    })
  | (Emitted & {
      readonly type: 'Converted'
      readonly tokenIn: string
      readonly amountIn: bigint
      readonly tokenOut: string
      readonly amountOut: bigint
    })
  | (Emitted & { readonly type: 'NotConverted'; readonly nonce: bigint; readonly reason: Hex })

export type FactoryLog = Receipt['logs'][number]

export const factoryEvents = (factory: string, logs: readonly FactoryLog[]): readonly FactoryEvent[] =>
  logs.flatMap((log) => (log.address === factory ? (eventOf(log) ?? []) : []))

function eventOf(log: FactoryLog): FactoryEvent | undefined {
  const { logIndex } = log
  const event = decodeEventLog({ abi, topics: log.topics as [Hex, ...Hex[]], data: log.data as Hex })
  switch (event.eventName) {
    case 'Paid':
    case 'NotPaid': {
      const { terms, role, token, to, amount } = event.args
      const paid = { role: roles[role]!, token: token.toLowerCase(), to: to.toLowerCase(), amount }
      return { type: event.eventName, terms, logIndex, ...paid }
    }
    case 'Converted': {
      const { terms, tokenIn, amountIn, tokenOut, amountOut } = event.args
      const converted = { tokenIn: tokenIn.toLowerCase(), amountIn, tokenOut: tokenOut.toLowerCase(), amountOut }
      return { type: 'Converted', terms, logIndex, ...converted }
    }
    case 'NotConverted': {
      const { terms, nonce, reason } = event.args
      return { type: 'NotConverted', terms, logIndex, nonce, reason }
    }
    default:
      return undefined
  }
}

/** Returns the places in a batch of the orders that failed, and of which therefore nothing has moved. */
export function failedOrders(factory: string, logs: Receipt['logs']): ReadonlySet<number> {
  const failed = new Set<number>()
  for (const { address, topics, data } of logs) {
    if (address !== factory || topics[0] !== orderFailedTopic) continue
    failed.add(Number(decodeEventLog({ abi, eventName: 'OrderFailed', topics: topics as [Hex, ...Hex[]], data: data as Hex }).args.index))
  }
  return failed
}

/** Reads from the logs which legs of a payout were paid. A call of something else than the factory has none. */
export function payoutResult(
  factory: string,
  { termsHash, data }: { readonly termsHash?: string; readonly data: string },
  { logs }: Pick<Receipt, 'logs'>,
): PaidLegs | { readonly failure: string } {
  const events = factoryEvents(factory, logs).filter(({ terms }) => terms === termsHash)
  const { paid, swapped, failure } = callOutcome(data, events)
  if (failure !== undefined) return { failure: `The conversion failed: ${conversionFailure(failure)}.` }
  return swapped === undefined ? { paid } : { paid, swapped }
}

/** The factory returns the first word of why a conversion failed, which begins with the error's selector. */
export function conversionFailure(word: Hex): string {
  const errors = abi.filter((item) => item.type === 'error')
  return errors.find((item) => word.startsWith(toFunctionSelector(formatAbiItem(item).replace(/^error /, ''))))?.name ?? word
}
