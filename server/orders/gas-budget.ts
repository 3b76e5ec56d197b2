import type { ChainId } from '../../src/wire/chain.ts'
import type { Asset } from './model/asset.ts'
import { isUnsigned } from './model/created-by.ts'
import type { Order, Terms } from './model/order.ts'
import type { Sql, Tx } from '../database/connect.ts'
import { bookGas, gasUsed, reserveGas } from './gas-used.ts'
import { settlingUnits } from './costs.ts'
import type { Engine } from './engine.ts'

/**
 * What operators burn for one organisation on one chain in an hour.
 *
 * 1. Money that has arrived is always settled, so nothing here ever stops a settlement: what may be refused is what comes before.
 * 2. An order without a signature books what settling it costs when it is made, from a tenth of the organisation's budget. Booked later,
 *    a stranger could make thousands for nothing and pay them all in one hour.
 * 3. A wallet payment is sent by the operator before anything has arrived: beyond the budget it is refused, and the address is left.
 */
const unsignedShare = 10n
const hourMs = 3_600_000

type Limits = Pick<Engine, 'gasPerHour' | 'clock'>

export const secondsToNextHour = (now: number): number => Math.ceil((hourMs - (now % hourMs)) / 1000)

/** Takes an unsigned order's settlement from the budget of such orders; false when it is used up. */
export const reserveForUnsigned = async (engine: Limits, sql: Sql | Tx, organizationId: string, { asset }: Terms): Promise<boolean> =>
  reserveGas(
    sql,
    { organizationId, chainId: asset.chainId, unsigned: true, at: new Date(engine.clock()) },
    reservedUnits(asset),
    engine.gasPerHour / unsignedShare,
  )

/** Whether another wallet payment of this order may be on the operator's account. */
export async function hasGasForWallet(engine: Limits & Pick<Engine, 'sql'>, order: Order, chainId: ChainId): Promise<boolean> {
  const { organizationId, terms } = order
  const unsigned = isUnsigned(terms)
  const used = await gasUsed(engine.sql, { organizationId, chainId, unsigned, at: new Date(engine.clock()) })
  return used < (unsigned ? engine.gasPerHour / unsignedShare : engine.gasPerHour)
}

/**
 * What an unsigned order may cost at the most: its settlement and one more try, with a recipient that burns all the gas a leg has. Tokens
 * are sent without calling their recipient.
 */
export const reservedUnits = (asset: Pick<Asset, 'address'>): bigint => 2n * (settlingUnits(asset) + (asset.address === null ? legGas : 0n))

/** As TillFactory.sol gives to a leg in native coin. */
const legGas = 200_000n

/**
 * Books what a transaction took. Settlements are no part of it: a signed order's are never refused, and would only take a busy merchant's
 * wallet payments away; an unsigned order's were booked with the order.
 */
export async function bookSend(
  engine: Limits,
  tx: Tx,
  { organizationId, terms }: Order,
  { chainId, purpose }: { readonly chainId: ChainId; readonly purpose: { readonly kind: string } },
  gas: bigint,
): Promise<void> {
  if (purpose.kind === 'settlement' || purpose.kind === 'refund') return
  await bookGas(tx, { organizationId, chainId, unsigned: isUnsigned(terms), at: new Date(engine.clock()) }, gas)
}
