import type { Sql } from '../../../server/database/connect.ts'

/** What is wrong between a chain and the books, and how much was compared. */
export interface Comparison {
  readonly checked: number
  readonly wrong: readonly string[]
}

/** Whom an organisation has paid on a chain. */
export interface Payees {
  readonly organizationId: string
  readonly recipient: string
  readonly feeCollector: string
}

export interface Booked {
  readonly id: string
  readonly organization: string
  readonly token: string | null
  readonly amount: bigint
}

/** Reads what the ledger has in these accounts, by order and token. */
export async function bookedIn(sql: Sql, chainId: number, ...accounts: readonly string[]): Promise<readonly Booked[]> {
  const rows = await sql<{ id: string; organization: string; token: string | null; sum: string }[]>`
    select order_id as id, organization_id as organization, token, sum(amount)::text as sum from ledger
    where account = any(${accounts as string[]}) and chain_id = ${chainId} group by order_id, organization_id, token`
  return rows.map(({ sum, ...row }) => ({ ...row, amount: BigInt(sum) }))
}

export const sumOf = (items: readonly { readonly amount: bigint }[]): bigint => items.reduce((total, { amount }) => total + amount, 0n)

export const differ = (what: string, actual: bigint, other: bigint | string): readonly string[] =>
  actual === other ? [] : [`${what} ${actual}, and the books say ${other}`]
