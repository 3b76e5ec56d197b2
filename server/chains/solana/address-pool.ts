import type { Address } from '@solana/kit'
import type { Sql, Tx } from '../../database/connect.ts'
import type { DepositAddresses } from '../chain.ts'
import type { SolanaSigner } from './signer.ts'

/** The signer has not made enough addresses. The caller tries again in a moment. */
export class AddressesUsedUp extends Error {
  override readonly name = 'AddressesUsedUp'
  readonly code = 'addresses_used_up'

  constructor() {
    super('All addresses that were made ahead are taken.')
  }
}

export interface PoolParts {
  readonly signer: SolanaSigner
  /** So many addresses are free, unless orders take them faster than the signer makes them. */
  readonly size: number
}

/** The addresses of orders are those of keys, and only who has a key knows its address. So the signer makes them ahead. */
export interface AddressPool extends DepositAddresses {
  /** Makes what is missing. */
  fill(sql: Sql, signal: AbortSignal): Promise<void>
}

const perRequest = 200

export function addressPool({ signer, size }: PoolParts): AddressPool {
  async function fill(sql: Sql, signal: AbortSignal): Promise<void> {
    for (;;) {
      const { next, free } = await countOf(sql, signer.first)
      const count = Math.min(size - free, perRequest)
      if (count <= 0 || signal.aborted) return
      await insert(sql, signer.first, next, await signer.addresses(next, count, signal))
    }
  }

  return {
    async reserve(sql, { orderId }) {
      // Whoever asks for the same order at the same time waits, and gets the same address.
      await sql`select pg_advisory_xact_lock(hashtextextended(${`till:address:${orderId}`}, 0))`
      const address = (await reservedFor(sql, orderId)) ?? (await take(sql, signer.first, orderId))
      if (address === undefined) throw new AddressesUsedUp()
      return { address }
    },
    fill,
  }
}

async function countOf(sql: Sql, signer: Address): Promise<{ readonly next: number; readonly free: number }> {
  const [row] = await sql<{ next: number; free: number }[]>`
    select (select coalesce(max(key_index), 0)::int + 1 from solana_addresses where signer = ${signer}) as next,
      (select count(*)::int from solana_addresses where signer = ${signer} and order_id is null) as free`
  return row ?? { next: 1, free: 0 }
}

/** Two processes that fill at the same time insert the same rows. */
async function insert(sql: Sql, signer: Address, from: number, addresses: readonly Address[]): Promise<void> {
  const rows = addresses.map((address, i) => ({ signer, key_index: from + i, address }))
  await sql`insert into solana_addresses ${sql(rows, 'signer', 'key_index', 'address')} on conflict do nothing`
}

async function reservedFor(sql: Sql | Tx, orderId: string): Promise<string | undefined> {
  const [row] = await sql<{ address: string }[]>`select address from solana_addresses where order_id = ${orderId}`
  return row?.address
}

/** Orders that are made at the same time pass over each other's rows and do not wait. */
async function take(sql: Sql | Tx, signer: Address, orderId: string): Promise<string | undefined> {
  const [row] = await sql<{ address: string }[]>`
    update solana_addresses set order_id = ${orderId}, reserved_at = now() where address = (
      select address from solana_addresses where signer = ${signer} and order_id is null order by key_index limit 1 for update skip locked
    ) returning address`
  return row?.address
}

interface TakenAddress {
  readonly address: string
  readonly orderId: string
  readonly index: number
}

/** Lists the addresses that orders have, by the numbers of their keys, from the one after a number on. */
export async function takenAddresses(sql: Sql, signer: Address, after: number, limit: number): Promise<readonly TakenAddress[]> {
  return sql<TakenAddress[]>`
    select address, order_id as "orderId", key_index::int as index from solana_addresses
    where signer = ${signer} and order_id is not null and key_index > ${after} order by key_index limit ${limit}`
}
