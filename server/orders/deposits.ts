import { chains } from '../../src/wire/chain.ts'
import { chainOf, type DepositAsk } from '../chains/chain.ts'
import type { Sql, Tx } from '../database/connect.ts'
import type { Engine } from './engine.ts'
import type { Order } from './model/order.ts'

/** Reserves an address in each family of the chains on which the order can be paid. Every chain of a family would give the same address. */
export async function reserveDeposits(
  engine: Pick<Engine, 'chains'>,
  sql: Sql | Tx,
  ask: DepositAsk,
): Promise<Pick<Order, 'deposits' | 'depositTerms'>> {
  const byFamily = new Map(ask.destinations.map(({ chainId }) => [chains[chainId].family, chainOf(engine.chains.values(), chainId)]))
  const reserved: [string, string][] = []
  let depositTerms: Order['depositTerms']
  for (const [family, chain] of byFamily) {
    const { address, terms } = await chain.deposits.reserve(sql, ask)
    reserved.push([family, chain.addresses.show(address)])
    depositTerms ??= terms
  }
  return { deposits: Object.fromEntries(reserved), ...(depositTerms && { depositTerms }) }
}
