import { randomBytes } from 'node:crypto'
import type { ChainId } from '../../../src/wire/chain.ts'
import type { SignedTransfer } from '../../chains/x402.ts'
import type { Sql, Tx } from '../../database/connect.ts'

/** An authorisation is a payer's signed transfer (EIP-3009 on EVM, a transaction on Solana) to pay an order. */
export interface Authorization extends SignedTransfer {
  readonly id: string
  readonly orderId: string
  readonly chainId: ChainId
  readonly state: 'pending' | 'refused' | 'settled' | 'failed'
  readonly attempt: number
  readonly txHash: string | undefined
  readonly reason: string | undefined
}

export type NewAuthorization = Omit<Authorization, 'id' | 'attempt' | 'state' | 'txHash' | 'reason'>

export const sendIdOf = ({ id, attempt }: Pick<Authorization, 'id' | 'attempt'>): string => `${id}:${attempt}`

/** Compares the stored members of the signed message, and the signature itself, so that a retried request is recognised. */
export const isSame = (authorization: Authorization, transfer: SignedTransfer): boolean =>
  authorization.signature === transfer.signature &&
  authorization.payer === transfer.payer &&
  authorization.nonce === transfer.nonce &&
  authorization.payTo === transfer.payTo &&
  authorization.value === transfer.value &&
  authorization.validBefore === transfer.validBefore

interface Row {
  readonly id: string
  readonly order_id: string
  readonly chain_id: number
  readonly network: string
  readonly asset: string
  readonly payer: string
  readonly nonce: string
  readonly pay_to: string
  readonly value: string
  readonly valid_before: string | null
  readonly signature: string
  readonly state: Authorization['state']
  readonly attempt: number
  readonly tx_hash: string | null
  readonly reason: string | null
}

const fromRow = (row: Row): Authorization => ({
  id: row.id,
  orderId: row.order_id,
  chainId: row.chain_id as ChainId,
  network: row.network,
  asset: row.asset,
  payer: row.payer,
  nonce: row.nonce,
  payTo: row.pay_to,
  value: BigInt(row.value),
  validBefore: row.valid_before === null ? undefined : BigInt(row.valid_before),
  signature: row.signature,
  state: row.state,
  attempt: row.attempt,
  txHash: row.tx_hash ?? undefined,
  reason: row.reason ?? undefined,
})

const columns = (sql: Sql | Tx) =>
  sql`id, order_id, chain_id, network, asset, payer, nonce, pay_to, value::text, valid_before::text, signature, state, attempt, tx_hash, reason`

export async function authorizationById(sql: Sql | Tx, id: string): Promise<Authorization | undefined> {
  const [row] = await sql<Row[]>`select ${columns(sql)} from x402_authorizations where id = ${id}`
  return row && fromRow(row)
}

/** Finds the order's authorisation that has moved money or still may. A unique index allows at most one. */
export async function liveAuthorization(sql: Sql | Tx, orderId: string): Promise<Authorization | undefined> {
  const [row] = await sql<Row[]>`select ${columns(sql)} from x402_authorizations where order_id = ${orderId} and state <> 'failed'`
  return row && fromRow(row)
}

export async function authorizationsOf(sql: Sql | Tx, orderId: string): Promise<readonly Authorization[]> {
  const rows = await sql<Row[]>`select ${columns(sql)} from x402_authorizations where order_id = ${orderId} order by created_at desc`
  return rows.map(fromRow)
}

/** Finds authorisations whose `validBefore` has passed by our clock while their outcome is still open. */
export async function overdueAuthorizations(sql: Sql, now: number, limit = 50): Promise<readonly Authorization[]> {
  const rows = await sql<Row[]>`
    select ${columns(sql)} from x402_authorizations
    where state in ('pending', 'refused') and valid_before <= ${Math.floor(now / 1000)} order by valid_before limit ${limit}`
  return rows.map(fromRow)
}

/** Returns undefined if another authorisation that has not failed uses the nonce or belongs to the order. */
export async function insertAuthorization(
  tx: Tx,
  authorization: NewAuthorization,
  { state, txHash }: Pick<Authorization, 'state' | 'txHash'>,
): Promise<Authorization | undefined> {
  const [row] = await tx<Row[]>`
    insert into x402_authorizations ${tx({
      id: `x402_${randomBytes(16).toString('base64url')}`,
      order_id: authorization.orderId,
      chain_id: authorization.chainId,
      network: authorization.network,
      asset: authorization.asset,
      payer: authorization.payer,
      nonce: authorization.nonce,
      pay_to: authorization.payTo,
      value: authorization.value.toString(),
      valid_before: authorization.validBefore?.toString() ?? null,
      signature: authorization.signature,
      state,
      tx_hash: txHash ?? null,
    })}
    on conflict do nothing returning ${columns(tx)}`
  return row && fromRow(row)
}

/** Changes the row only if it still has the attempt, and one of the states, for which the change was decided. */
export async function changeAuthorization(
  tx: Tx,
  { id, attempt }: Pick<Authorization, 'id' | 'attempt'>,
  from: readonly Authorization['state'][],
  change: { readonly state: Authorization['state']; readonly txHash?: string; readonly reason?: string; readonly attempt?: number },
): Promise<Authorization | undefined> {
  const [row] = await tx<Row[]>`
    update x402_authorizations set state = ${change.state}, tx_hash = coalesce(${change.txHash ?? null}, tx_hash), reason = ${change.reason ?? null},
      attempt = ${change.attempt ?? attempt}, updated_at = now()
    where id = ${id} and attempt = ${attempt} and state = any(${from as string[]}) returning ${columns(tx)}`
  return row && fromRow(row)
}
