import type { CurrencyRead } from '../../wire/currency.ts'
import { sameCurrency } from '../../wire/funds.ts'
import type { OrderRead } from '../../wire/order-read.ts'
import type { FlowPorts } from '../method.ts'
import type { Rest } from './pay-by-transfer.ts'

/** Asks for instructions in this currency, which fixes the price, and returns what is due. Rejects if the service refuses. */
export const instructionsIn = async (
  { api, order, refresh }: FlowPorts,
  currency: CurrencyRead,
  signal: AbortSignal,
): Promise<Rest | undefined> => {
  await api.requestPayment(order().id, { currency: { chain_id: currency.chain_id, address: currency.address ?? null } }, signal)
  await refresh()
  return dueIn(order(), currency)
}

/** What is seen and not yet confirmed has been paid too. */
const seenIn = ({ payment }: OrderRead, currency: CurrencyRead): bigint =>
  (payment?.funding?.transactions ?? []).reduce(
    (sum, { amount, currency: of, state }) => (state === 'seen' && (!of || sameCurrency(of, currency)) ? sum + BigInt(amount.raw) : sum),
    0n,
  )

export const dueIn = (order: OrderRead, currency: CurrencyRead): Rest | undefined => {
  const { payment } = order
  const asked = payment?.steps?.find(({ kind }) => kind === 'deposit')?.data
  if (!asked?.deposit_address || !asked.currency || !sameCurrency(asked.currency, currency)) return undefined
  const raw = payment?.funding?.remaining_amount?.raw ?? asked.amount
  const due = raw && /^\d{1,78}$/.test(raw) ? BigInt(raw) - seenIn(order, currency) : 0n
  return due > 0n ? { to: asked.deposit_address, due: { raw: due, currency: asked.currency } } : undefined
}
