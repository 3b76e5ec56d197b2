import { sameAsset } from './asset.ts'
import type { FoundRefund } from './commands.ts'
import { feeCollectorOn } from './destination.ts'
import type { Fact } from './facts.ts'
import type { Order, Refund } from './order.ts'
import { refundGone, refundPaid } from './outcomes.ts'

type Leg = FoundRefund['legs'][number]

/**
 * Whoever has an operator's key can send a refund for which the guard has signed. Ours has then happened, although our own transaction fails.
 * Any other has nevertheless left the deposit address, so it is a refund of this order, and nobody may refund the same money again.
 */
export function foundRefund(order: Order, { id, asset, legs, txHash, block }: FoundRefund): readonly Fact[] {
  if (order.refunds.some(({ moveId, state }) => moveId === id && state !== 'pending')) return []
  const rest = [...legs]
  const take = (wanted: Leg): boolean => {
    const at = rest.findIndex(({ to, amount }) => to === wanted.to && amount === wanted.amount)
    if (at >= 0) rest.splice(at, 1)
    return at >= 0
  }
  const ours = order.refunds.filter((refund) => isOpen(refund) && sameAsset(refund.asset, asset))
  // A refund that has failed, and whose signature was used nevertheless, comes first: one that is pending can still fail.
  const candidates = [...ours.filter(({ state }) => state === 'failed'), ...ours.filter(({ state }) => state === 'pending')]
  const facts: Fact[] = []
  const open = candidates.filter((refund) => {
    if (!take({ to: refund.address, amount: refund.amount - refund.gas })) return true
    const isGasTaken = refund.gas > 0n && take(gasLegOf(order, refund))
    facts.push(...refundPaid(order, refund, { txHash, block, gasTaken: isGasTaken ? refund.gas : 0n, moveId: id }))
    return false
  })
  for (const refund of open)
    if (refund.gas > 0n && take(gasLegOf(order, refund)))
      facts.push({
        type: 'refund_failed',
        id: refund.id,
        reason: 'The address did not take the money; it is held.',
        block,
        gasTaken: refund.gas,
        moveId: id,
      })
  const others = rest.map((leg, place) => foreignRefund(order, leg, place, { id, asset, txHash, block }))
  // The status is announced again, so that the merchant learns of what nobody here has planned.
  return others.length > 0 ? [...facts, ...others, { type: 'became', status: order.status }] : facts
}

/** What a final transaction of our own has decided is not decided again. */
const isOpen = ({ from, state, block }: Refund): boolean =>
  from === 'deposit' && (state === 'pending' || (state === 'failed' && block === undefined))

const gasLegOf = ({ terms }: Order, { asset, gas }: Refund): Leg => ({ to: feeCollectorOn(terms, asset.chainId), amount: gas })

const foreignRefund = (
  { refunds }: Order,
  { to, amount }: Leg,
  place: number,
  { id, asset, txHash, block }: Omit<FoundRefund, 'legs'>,
): Fact => ({
  type: 'refund_found',
  refund: {
    id: `r${refunds.length + 1 + place}`,
    asset,
    amount,
    gas: 0n,
    gasTaken: 0n,
    address: to,
    from: 'deposit',
    transfers: [],
    state: 'confirmed',
    txHash,
    block,
    moveId: id,
    sendFailed: true,
  },
})

export const refundsLost = (order: Order, id: string): readonly Fact[] =>
  order.refunds
    .filter(({ moveId, state }) => moveId === id && state !== 'pending')
    .flatMap((refund) => [{ type: 'refund_lost', id: refund.id } as const, ...(refund.sendFailed ? refundGone(order, refund) : [])])
