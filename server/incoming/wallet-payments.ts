import type { PaymentRequirements } from '../../src/wire/x402.ts'
import type { Chain } from '../chains/chain.ts'
import type { BuiltPayment, WalletPayment } from '../chains/wallet-payments.ts'
import type { Sql } from '../database/connect.ts'

/** Another wallet, or the same one in another currency, may still send what was built before. */
export class PaymentHandedOut extends Error {
  override readonly name = 'PaymentHandedOut'
}

interface Stored extends BuiltPayment {
  readonly chainId: number
  readonly token: string | null
  readonly payer: string
  readonly amount: bigint
}

/** What a wallet is asked to sign, and whose offer it is if the service sends it. */
export interface HandedOut {
  readonly transaction: string
  readonly offer: PaymentRequirements | null
}

export interface Wanted {
  readonly orderId: string
  readonly payment: WalletPayment
  /** Returns how much of an asset the order knows to be at its address. */
  readonly known: (token: string | null) => bigint
  /** Returns what the service pays the fee for, if it does. */
  readonly sponsored: () => Promise<HandedOut | undefined>
}

/**
 * Returns the same transaction for as long as it may be included, and so to every tab, reload and retry. Another one is built only after it has
 * expired on the chain, so that two of them never both pay the order. If nothing is handed out, the service may pay the fee: what a payer signs
 * for that is sent by the service alone (x402/x402.ts). Do not call it with a transaction open, since it reads the chain.
 */
export async function walletPaymentFor(
  sql: Sql,
  chain: Pick<Chain, 'id' | 'walletPayments'>,
  { orderId, payment, known, sponsored }: Wanted,
  signal: AbortSignal,
): Promise<HandedOut> {
  const { walletPayments } = chain
  if (!walletPayments) throw new Error(`chain ${chain.id} builds no payments`)
  for (;;) {
    const stored = await storedFor(sql, orderId)
    // Money may have arrived that the order does not show yet.
    const sent = stored && { ...stored, to: payment.to, token: { address: stored.token }, known: known(stored.token) }
    const fate = sent && (await walletPayments.fateOf(sent, signal))
    if (fate === 'paid') throw new PaymentHandedOut('The money for this order has arrived. This page shows it in a moment.')
    if (stored && fate === 'open') {
      if (isSame(stored, chain.id, payment)) return { transaction: stored.transaction, offer: null }
      throw new PaymentHandedOut('A wallet was just asked to pay this order. If you did not sign there, try again in two minutes.')
    }
    const other = await sponsored()
    if (other) return other
    const built = await walletPayments.build(payment, signal)
    const isStored = await store(sql, orderId, { ...payment, ...built, chainId: chain.id, token: payment.token.address }, stored)
    if (isStored) return { transaction: built.transaction, offer: null }
  }
}

const isSame = (stored: Stored, chainId: number, { payer, token, amount }: WalletPayment): boolean =>
  stored.chainId === chainId && stored.token === token.address && stored.payer === payer && stored.amount === amount

async function storedFor(sql: Sql, orderId: string): Promise<Stored | undefined> {
  const [row] = await sql<(Omit<Stored, 'amount'> & { amount: string })[]>`
    select chain_id::float8 as "chainId", token, payer, amount::text as amount, transaction, valid_until::float8 as "validUntil"
    from wallet_payments where order_id = ${orderId}`
  return row && { ...row, amount: BigInt(row.amount) }
}

/** Returns false if another request has stored one in between. */
async function store(sql: Sql, orderId: string, payment: Stored, before: Stored | undefined): Promise<boolean> {
  const { chainId, token, payer, amount, transaction, validUntil } = payment
  const rows = await sql`
    insert into wallet_payments (order_id, chain_id, token, payer, amount, transaction, valid_until)
    values (${orderId}, ${chainId}, ${token}, ${payer}, ${amount.toString()}, ${transaction}, ${validUntil})
    on conflict (order_id) do update set chain_id = excluded.chain_id, token = excluded.token, payer = excluded.payer,
      amount = excluded.amount, transaction = excluded.transaction, valid_until = excluded.valid_until, built_at = now()
    where wallet_payments.transaction = ${before?.transaction ?? ''}
    returning order_id`
  return rows.length > 0
}
