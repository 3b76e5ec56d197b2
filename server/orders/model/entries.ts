import { type Asset, sameAsset } from './asset.ts'
import type { FoundConversion } from './commands.ts'
import type { Fact } from './facts.ts'
import type { Order, PlannedLeg, Refund, Settlement, Transfer } from './order.ts'
import { paidOut } from './paid-out.ts'

/**
 * `conversion` is the exchange's account, which takes one currency and gives another. `collector` is that of whoever gets the fees: where a
 * settlement pays the network itself, that comes out of them.
 */
export type Account = 'payers' | 'deposit' | 'conversion' | 'recipient' | 'fees' | 'gas' | 'refunds' | 'collector'

export interface Entry {
  readonly account: Account
  readonly asset: Asset
  readonly amount: bigint
}

const move = (from: Account, to: Account, asset: Asset, amount: bigint): Entry[] =>
  amount === 0n
    ? []
    : [
        { account: from, asset, amount: -amount },
        { account: to, asset, amount },
      ]

const reversed = (entries: readonly Entry[]): Entry[] => entries.map((entry) => ({ ...entry, amount: -entry.amount }))

const converted = ({ source, amountIn, swapped }: FoundConversion, token: Asset): Entry[] => [
  ...move('deposit', 'conversion', source, amountIn),
  ...move('conversion', 'deposit', token, swapped),
]

const settled = (
  { swap, token, legs, isForeign }: Settlement,
  {
    paid,
    swapped = 0n,
    dust = 0n,
    networkFee = 0n,
  }: Pick<Settlement, 'swapped' | 'dust' | 'networkFee'> & { readonly paid: readonly boolean[] },
): Entry[] => [
  ...(swap ? converted({ ...swap, swapped }, token) : []),
  // What others have moved is listed as it was paid.
  ...(isForeign ? legs : paidOut(legs, swap && swapped)).flatMap((leg, index) =>
    paid[index] ? move('deposit', accountOf[leg.role], token, leg.amount) : [],
  ),
  ...move('deposit', dustAccount(legs, paid, networkFee), token, dust),
  ...move('collector', 'gas', token, networkFee),
]

/** A transaction that pays its own fee pays it with the dust too. Of any other one, whoever is paid last gets the dust. */
function dustAccount(legs: readonly PlannedLeg[], paid: readonly boolean[], networkFee: bigint): Account {
  const last = legs[paid.lastIndexOf(true)]
  return networkFee > 0n || !last ? 'collector' : accountOf[last.role]
}

const givenBack = (refund: Refund, isGiven: boolean, gasTaken: bigint): Entry[] => [
  ...move('deposit', 'refunds', refund.asset, isGiven ? refund.amount - refund.gas : 0n),
  ...move('deposit', 'gas', refund.asset, gasTaken),
]

const accountOf: Record<PlannedLeg['role'], Account> = { recipient: 'recipient', fees: 'fees' }

function sums(order: Order, keys: readonly string[], isMoved: (transfer: Transfer) => boolean) {
  const named = new Set(keys)
  const totals: { asset: Asset; amount: bigint }[] = []
  for (const transfer of order.transfers) {
    if (!named.has(transfer.key) || !isMoved(transfer)) continue
    const total = totals.find(({ asset }) => sameAsset(asset, transfer.asset))
    if (total) total.amount += transfer.amount
    else totals.push({ asset: transfer.asset, amount: transfer.amount })
  }
  return totals
}

/** Derives the double-entry bookings of a fact from the order's state before it. Only confirmed movements are booked. */
export function entriesOf(order: Order | undefined, fact: Fact): readonly Entry[] {
  if (!order) return []
  switch (fact.type) {
    case 'transfers_confirmed':
      return sums(order, fact.keys, () => true).flatMap(({ asset, amount }) => move('payers', 'deposit', asset, amount))
    case 'transfers_dropped':
      return sums(order, fact.keys, ({ state }) => state !== 'seen' && state !== 'dropped').flatMap(({ asset, amount }) =>
        move('deposit', 'payers', asset, amount),
      )
    case 'settlement_confirmed': {
      // The refunded order books the money that its deposit address sends for a REFUND order, so it is not booked here as well.
      const settlement = order.terms.refundOf?.fromDeposit ? undefined : order.settlements.find(({ id }) => id === fact.id)
      return settlement ? settled(settlement, fact) : []
    }
    case 'settlement_unmined': {
      const settlement = order.terms.refundOf?.fromDeposit ? undefined : order.settlements.find(({ id }) => id === fact.id)
      return settlement?.state === 'confirmed' ? reversed(settled(settlement, { ...settlement, paid: settlement.paid ?? [] })) : []
    }
    case 'settlement_found':
      return [
        ...(fact.swap ? converted(fact.swap, fact.token) : []),
        ...fact.legs.flatMap(({ role, amount }) => move('deposit', accountOf[role], fact.token, amount)),
      ]
    case 'settlement_lost': {
      const settlement = order.settlements.find(({ id }) => id === fact.id)
      return settlement?.state === 'confirmed' ? reversed(settled(settlement, { ...settlement, paid: settlement.paid ?? [] })) : []
    }
    case 'refund_confirmed':
    case 'refund_failed': {
      const refund = order.refunds.find(({ id }) => id === fact.id)
      if (refund?.from !== 'deposit') return []
      return givenBack(refund, fact.type === 'refund_confirmed', fact.gasTaken)
    }
    case 'refund_found':
      return givenBack(fact.refund, true, 0n)
    case 'refund_unmined':
    case 'refund_lost': {
      const refund = order.refunds.find(({ id }) => id === fact.id)
      if (refund?.from !== 'deposit' || refund.state === 'pending') return []
      return reversed(givenBack(refund, refund.state === 'confirmed', refund.gasTaken ?? 0n))
    }
    default:
      return []
  }
}
