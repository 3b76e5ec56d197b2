import type { ChainId } from '../../src/wire/chain.ts'
import { chainOf } from '../chains/chain.ts'
import type { Spent } from '../chains/payouts.ts'
import { isUnsigned } from './model/created-by.ts'
import type { Order, Terms } from './model/order.ts'
import type { Sql, Tx } from '../database/connect.ts'
import { bookGas, gasUsed, reserveGas } from './gas-used.ts'
import type { Engine } from './engine.ts'

/**
 * The gas that operators spend for one organisation on one chain in an hour is limited.
 * 1. Money that has arrived is always settled, so the budget never stops a settlement. It only refuses unsigned orders and wallet payments.
 * 2. An unsigned order reserves its settlement's gas at creation. Otherwise anybody could create thousands and pay them all in one hour.
 * 3. A wallet payment is broadcast before any money has arrived, so it is refused beyond the budget. The payer can still send money.
 */
const unsignedShare = 10n
const hourMs = 3_600_000

type Limits = Pick<Engine, 'gasPerHour' | 'clock'>

export const secondsToNextHour = (now: number): number => Math.ceil((hourMs - (now % hourMs)) / 1000)

/** Reserves the gas of an unsigned order's settlement, and returns false when the budget for unsigned orders is used up. */
export const reserveForUnsigned = async (
  engine: Limits & Pick<Engine, 'chains'>,
  sql: Sql | Tx,
  organizationId: string,
  { asset }: Terms,
): Promise<boolean> =>
  reserveGas(
    sql,
    { organizationId, chainId: asset.chainId, unsigned: true, at: new Date(engine.clock()) },
    chainOf(engine.chains.values(), asset.chainId).settlementGas(asset),
    engine.gasPerHour / unsignedShare,
  )

export async function hasGasForWallet(engine: Limits & Pick<Engine, 'sql'>, order: Order, chainId: ChainId): Promise<boolean> {
  const { organizationId, terms } = order
  const used = await gasUsed(engine.sql, { organizationId, chainId, at: new Date(engine.clock()) })
  const share = engine.gasPerHour / unsignedShare
  if (isUnsigned(terms)) return used.unsigned < share
  // Accounts that settlements have opened may take unsigned orders beyond their share, which must leave signed orders theirs.
  return used.signed + (used.unsigned < share ? used.unsigned : share) < engine.gasPerHour
}

const notBooked = ['refund', 'rescue']

/**
 * The gas of a settlement is not booked: for signed orders that would only block wallet payments, and unsigned orders reserved it at creation.
 * An account that it has opened is, because a merchant could close it after each order and keep its rent. A refund pays for itself, and a
 * rescue is the operator's own decision.
 */
export async function bookGasOfSend(
  engine: Limits,
  tx: Tx,
  { organizationId, terms }: Order,
  { chainId, purpose }: { readonly chainId: ChainId; readonly purpose: { readonly kind: string } },
  { gasUsed = 0n, opened = 0n }: Partial<Spent>,
): Promise<void> {
  if (notBooked.includes(purpose.kind)) return
  const gas = purpose.kind === 'settlement' ? opened : gasUsed + opened
  await bookGas(tx, { organizationId, chainId, unsigned: isUnsigned(terms), at: new Date(engine.clock()) }, gas)
}
