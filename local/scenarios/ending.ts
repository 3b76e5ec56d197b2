import { formatUnits } from '../../src/wire/money.ts'
import type { Order } from '../../src/wire/order.ts'
import type { Ending } from './scenario.ts'

export function endingOf({ status, payment }: Order): Ending {
  const { received_amount: received, remaining_amount: remaining, transactions = [] } = payment?.funding ?? {}
  const held = transactions.find(({ state }) => state === 'held')
  const card = payment?.steps.find((step) => step.kind === 'stripe_onramp')
  return {
    status,
    received: BigInt(received?.raw ?? 0),
    remaining: BigInt(remaining?.raw ?? 0),
    ...(payment?.surplus && { surplus: BigInt(payment.surplus.raw) }),
    ...(held?.reason && { held: held.reason }),
    ...(card && { card: card.data.status }),
  }
}

export function endingText({ status, received, remaining, surplus, held, card }: Ending, { payment }: Order): string {
  const { symbol, decimals } = payment?.input?.currency ?? { symbol: '', decimals: 0 }
  const amount = (raw: bigint) => `${formatUnits(raw, decimals)} ${symbol}`
  return [
    status,
    `received ${amount(received)}`,
    `remaining ${amount(remaining)}`,
    surplus !== undefined && `surplus ${amount(surplus)}`,
    held && `held: ${held}`,
    card && `card: ${card}`,
  ]
    .filter(Boolean)
    .join(' · ')
}
