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

export const dueIn = ({ payment }: OrderRead, currency: CurrencyRead): Rest | undefined => {
  const asked = payment?.steps?.find(({ kind }) => kind === 'deposit')?.data
  if (!asked?.deposit_address || !asked.currency || !sameCurrency(asked.currency, currency)) return undefined
  const raw = payment?.funding?.remaining_amount?.raw ?? asked.amount
  return raw && /^[1-9]\d{0,77}$/.test(raw) ? { to: asked.deposit_address, due: { raw: BigInt(raw), currency: asked.currency } } : undefined
}
