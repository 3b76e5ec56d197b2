import { decodeEventLog, getAbiItem, toEventSelector, toFunctionSelector, type Hex } from 'viem'
import { formatAbiItem } from 'viem/utils'
import { TillFactory } from './contracts/artifacts/TillFactory.ts'
import type { PaidLegs } from '../payouts.ts'
import type { Receipt } from './receipt.ts'

const { abi } = TillFactory

const orderFailedTopic = toEventSelector(getAbiItem({ abi, name: 'OrderFailed' }))

const roles = ['recipient', 'fees', 'refund'] as const

/** A call of the factory has moved money from the address of these terms, or has failed to. The zero address is the native coin. */
export type FactoryEvent =
  | {
      readonly type: 'Paid' | 'NotPaid'
      readonly terms: Hex
      readonly role: (typeof roles)[number]
      readonly token: string
      readonly to: string
      readonly amount: bigint
    }
  | { readonly type: 'Converted'; readonly terms: Hex; readonly tokenIn: string; readonly amountIn: bigint; readonly amountOut: bigint }
  | { readonly type: 'NotConverted'; readonly terms: Hex; readonly reason: Hex }

export const factoryEvents = (factory: string, logs: Receipt['logs']): readonly FactoryEvent[] =>
  logs.flatMap((log) => (log.address === factory ? (eventOf(log) ?? []) : []))

function eventOf(log: Receipt['logs'][number]): FactoryEvent | undefined {
  const event = decodeEventLog({ abi, topics: log.topics as [Hex, ...Hex[]], data: log.data as Hex })
  switch (event.eventName) {
    case 'Paid':
    case 'NotPaid': {
      const { terms, role, token, to, amount } = event.args
      return { type: event.eventName, terms, role: roles[role]!, token: token.toLowerCase(), to: to.toLowerCase(), amount }
    }
    case 'Converted': {
      const { terms, tokenIn, amountIn, amountOut } = event.args
      return { type: 'Converted', terms, tokenIn: tokenIn.toLowerCase(), amountIn, amountOut }
    }
    case 'NotConverted':
      return { type: 'NotConverted', terms: event.args.terms, reason: event.args.reason }
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
  termsHash: string | undefined,
  { logs }: Pick<Receipt, 'logs'>,
): PaidLegs | { readonly failure: string } {
  const paid: boolean[] = []
  let swapped: bigint | undefined
  for (const event of factoryEvents(factory, logs)) {
    if (event.terms !== termsHash) continue
    switch (event.type) {
      case 'Paid':
      case 'NotPaid':
        paid.push(event.type === 'Paid')
        break
      case 'Converted':
        swapped = event.amountOut
        break
      case 'NotConverted':
        return { failure: `The conversion failed: ${conversionFailure(event.reason)}.` }
      default:
        event satisfies never
    }
  }
  return swapped === undefined ? { paid } : { paid, swapped }
}

/** The factory returns the first word of why a conversion failed, which begins with the error's selector. */
export function conversionFailure(word: Hex): string {
  const errors = abi.filter((item) => item.type === 'error')
  return errors.find((item) => word.startsWith(toFunctionSelector(formatAbiItem(item).replace(/^error /, ''))))?.name ?? word
}
