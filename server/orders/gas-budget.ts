import type { ChainId } from '../../src/wire/chain.ts'
import type { Asset } from './model/asset.ts'
import { isUnsigned } from './model/created-by.ts'
import type { Order, Terms } from './model/order.ts'
import type { Sql, Tx } from '../database/connect.ts'
import { bookGas, gasUsed, reserveGas } from './gas-used.ts'
import { settlementUnits } from './costs.ts'
import type { Engine } from './engine.ts'

/**
 * The gas that operators spend for one organisation on one chain in an hour.
 *
 * 1. Money that has arrived is always settled, so the budget never stops a settlement; it only refuses what would come before one.
 * 2. An unsigned order reserves the gas of its settlement when it is created, from a tenth of the organisation's budget. If it were booked
 *    later, a stranger could create thousands of orders for nothing and pay them all in one hour.
 * 3. The operator broadcasts a wallet payment before any money has arrived: beyond the budget that is refused, and the payer can still send
 *    to the address.
 */
const unsignedShare = 10n
const hourMs = 3_600_000

type Limits = Pick<Engine, 'gasPerHour' | 'clock'>

export const secondsToNextHour = (now: number): number => Math.ceil((hourMs - (now % hourMs)) / 1000)

/** Reserves an unsigned order's settlement from its part of the budget; false when that is used up. */
export const reserveForUnsigned = async (engine: Limits, sql: Sql | Tx, organizationId: string, { asset }: Terms): Promise<boolean> =>
  reserveGas(
    sql,
    { organizationId, chainId: asset.chainId, unsigned: true, at: new Date(engine.clock()) },
    reservedUnits(asset),
    engine.gasPerHour / unsignedShare,
  )

/** Whether the operator may pay for another wallet payment of this order. */
export async function hasGasForWallet(engine: Limits & Pick<Engine, 'sql'>, order: Order, chainId: ChainId): Promise<boolean> {
  const { organizationId, terms } = order
  const unsigned = isUnsigned(terms)
  const used = await gasUsed(engine.sql, { organizationId, chainId, unsigned, at: new Date(engine.clock()) })
  return used < (unsigned ? engine.gasPerHour / unsignedShare : engine.gasPerHour)
}

/**
 * The most that an unsigned order can cost: its settlement and one retry, with a recipient that burns all the gas its leg is given. Token
 * transfers do not call their recipient.
 */
export const reservedUnits = (asset: Pick<Asset, 'address'>): bigint =>
  2n * (settlementUnits(asset) + (asset.address === null ? legGas : 0n))

/** What TillFactory.sol gives to a leg in native coin. */
const legGas = 200_000n

/**
 * Books the gas of a transaction. Settlements are not booked: those of signed orders are never refused, and would only take a busy
 * merchant's wallet payments away; those of unsigned orders were reserved at creation.
 */
export async function bookGasOfSend(
  engine: Limits,
  tx: Tx,
  { organizationId, terms }: Order,
  { chainId, purpose }: { readonly chainId: ChainId; readonly purpose: { readonly kind: string } },
  gas: bigint,
): Promise<void> {
  if (purpose.kind === 'settlement' || purpose.kind === 'refund') return
  await bookGas(tx, { organizationId, chainId, unsigned: isUnsigned(terms), at: new Date(engine.clock()) }, gas)
}
