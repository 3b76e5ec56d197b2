import { isEvmAddress, lowerCase } from './read-terms.ts'
import type { VerifyOrder } from './verified-order.ts'
import { isSame, refused, verifyTerms } from './verify-terms.ts'

export const verifyOrder: VerifyOrder = (order, { factory, recipients, feeCollectors, guard }) => {
  const verified = verifyTerms(order, factory)
  if (!verified.ok || !verified.terms) return verified.ok ? { ok: true, address: undefined } : verified
  const { address, terms } = verified
  const ours = new Set(recipients.filter(isEvmAddress).map(lowerCase))
  const collectors = new Set([...ours, ...(feeCollectors ?? []).filter(isEvmAddress).map(lowerCase)])
  const payees = [terms.default_recipient, ...terms.settlements.map(({ recipient }) => recipient)]
  if (!payees.every((payee) => ours.has(lowerCase(payee)))) return refused('unknown_recipient')
  if (feeCollectors && !terms.settlements.every((settlement) => collectors.has(lowerCase(settlement.fee_collector))))
    return refused('unknown_fee_collector')
  if (guard !== undefined && !isSame(guard, terms.guard)) return refused('unknown_guard')
  return { ok: true, address }
}
