import { type Funds, sameCurrency } from '../../wire/funds.ts'
import type { OrderRead } from '../../wire/order-read.ts'
import { isRecord, isText, readFunds } from './read-funds.ts'

/**
 * A transfer has no nonce that would make a second one harmless. So before a wallet is asked for one it is stored for all tabs, where it stays
 * until the wallet has declined, or the payer says that it does not ask any more.
 */
export interface AskedTransfer {
  /** The wallet's name. */
  readonly wallet: string
  readonly from: string
  readonly due: Funds
  /** The account's next nonce when the wallet was asked. */
  readonly nonce: string | undefined
  /** The wallet was asked for a batch with this id (EIP-5792), of which it sends no second one. */
  readonly batch?: string | undefined
  readonly hash?: string | undefined
  /** It is withdrawn once the payer says that the wallet does not ask any more. */
  readonly state: 'asked' | 'sent' | 'withdrawn'
}

const keyOf = (orderId: string) => `till:asked:${orderId}`

/** Local storage may be forbidden or full. Then this tab remembers by itself until it is reloaded. */
const inMemory = new Map<string, string>()

export const keepTransfer = (orderId: string, transfer: AskedTransfer): void => {
  const text = JSON.stringify({ ...transfer, due: { ...transfer.due, raw: transfer.due.raw.toString() } })
  inMemory.set(orderId, text)
  try {
    localStorage.setItem(keyOf(orderId), text)
  } catch {
    // The copy in memory remains.
  }
}

export const forgetTransfer = (orderId: string): void => {
  inMemory.delete(orderId)
  try {
    localStorage.removeItem(keyOf(orderId))
  } catch {
    // Nothing was stored there.
  }
}

/** What another tab has stored or removed counts, and the copy in memory only where nothing can be stored. */
export const storedTransfer = (orderId: string): AskedTransfer | undefined => {
  let text: string | null | undefined
  try {
    text = localStorage.getItem(keyOf(orderId))
  } catch {
    text = inMemory.get(orderId)
  }
  return text ? parse(text) : undefined
}

const parse = (text: string): AskedTransfer | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    if (!isRecord(value) || !isRecord(value.due)) return undefined
    const { wallet, from, nonce, batch, hash, state } = value
    const due = readFunds(value.due.raw, value.due.currency)
    if (!due || !isText(wallet) || !isText(from) || (state !== 'asked' && state !== 'sent' && state !== 'withdrawn')) return undefined
    return { wallet, from, due, nonce: textOf(nonce), batch: textOf(batch), hash: textOf(hash), state }
  } catch {
    return undefined
  }
}

const textOf = (value: unknown): string | undefined => (isText(value) ? value : undefined)

/**
 * Returns the transfer that may still reach the order. One that the order lists has reached it, and what is due is without it; but the same amount
 * is never sent twice.
 */
export const pendingTransfer = (order: OrderRead, due?: Funds): AskedTransfer | undefined => {
  const stored = storedTransfer(order.id)
  if (!stored || stored.state === 'withdrawn') return undefined
  if (due && stored.due.raw === due.raw && sameCurrency(stored.due.currency, due.currency)) return stored
  return isListed(order, stored.hash) ? undefined : stored
}

export const isListed = (order: OrderRead, hash: string | undefined): boolean =>
  hash !== undefined && !!order.payment?.funding?.transactions?.some(({ tx_hash }) => tx_hash.toLowerCase() === hash.toLowerCase())
