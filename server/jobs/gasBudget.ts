import type { ChainId } from '../../src/wire/chain.ts'
import { isUnsigned } from '../domain/createdBy.ts'
import type { Order, Terms } from '../domain/order.ts'
import type { Sql, Tx } from '../store/connect.ts'
import { bookGas, gasUsed, reserveGas } from '../store/gas.ts'
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
    settlingUnits(asset),
    engine.gasPerHour / unsignedShare,
  )

/** Whether another wallet payment of this order may be on the operator's account. */
export const hasGasForWallet = async (engine: Limits & Pick<Engine, 'sql'>, order: Order, chainId: ChainId): Promise<boolean> => {
  const { organizationId, terms } = order
  const unsigned = isUnsigned(terms)
  const used = await gasUsed(engine.sql, { organizationId, chainId, unsigned, at: new Date(engine.clock()) })
  return used < (unsigned ? engine.gasPerHour / unsignedShare : engine.gasPerHour)
}

/** Books what a transaction took. The first settlement of an unsigned order was booked with the order, up to what it was taken to cost. */
export const bookSend = async (
  engine: Limits,
  tx: Tx,
  { organizationId, terms, settlements }: Order,
  { chainId, purpose }: { readonly chainId: ChainId; readonly purpose: { readonly kind: string; readonly ref: string } },
  gas: bigint,
): Promise<void> => {
  const unsigned = isUnsigned(terms)
  const isReserved = unsigned && purpose.kind === 'settlement' && purpose.ref === settlements[0]?.id
  const reserved = isReserved ? settlingUnits(terms.asset) : 0n
  const at = new Date(engine.clock())
  await bookGas(tx, { organizationId, chainId, unsigned, at }, gas > reserved ? gas - reserved : 0n)
}
