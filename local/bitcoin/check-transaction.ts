import type { Coin } from './chain.ts'
import type { Rejection } from './rejection.ts'
import { outpoint, type Transaction } from './transaction.ts'

const mostMoney = 2_100_000_000_000_000n
const coinbaseMaturity = 100

/** What every transaction must be, wherever it stands. */
export function checkTransaction({ inputs, outputs, strippedSize }: Transaction): Rejection | undefined {
  if (outputs.length === 0) return { reason: 'bad-txns-vout-empty' }
  if (strippedSize * 4 > 4_000_000) return { reason: 'bad-txns-oversize' }
  let sum = 0n
  for (const { amount } of outputs) {
    // Amounts are signed on the wire.
    if (amount >= 1n << 63n) return { reason: 'bad-txns-vout-negative' }
    if (amount > mostMoney) return { reason: 'bad-txns-vout-toolarge' }
    sum += amount
    if (sum > mostMoney) return { reason: 'bad-txns-txouttotal-toolarge' }
  }
  if (new Set(inputs.map(outpoint)).size < inputs.length) return { reason: 'bad-txns-inputs-duplicate' }
  return undefined
}

/** Where a transaction stands, or would. */
export interface Place {
  /** The height of the block that contains the transaction, or would. */
  readonly height: number
  /** The median time of the chain up to this height. */
  medianOf(height: number): number
}

/** Finds the coins that a transaction spends. */
export function findCoins({ txid, inputs }: Transaction, coinOf: (outpoint: string) => Coin | undefined): readonly Coin[] | Rejection {
  const coins = inputs.flatMap((input) => coinOf(outpoint(input)) ?? [])
  if (coins.length === inputs.length) return coins
  return { reason: missing, detail: `CheckTxInputs: inputs missing/spent in transaction ${txid}` }
}

/** Checks that a transaction may spend coins of this age and amount, and returns what it leaves as its fee. */
export function checkSpends({ outputs }: Transaction, coins: readonly Coin[], height: number): { readonly fee: bigint } | Rejection {
  for (const coin of coins) {
    const depth = height - coin.height
    if (coin.isCoinbase && depth < coinbaseMaturity)
      return { reason: 'bad-txns-premature-spend-of-coinbase', detail: `tried to spend coinbase at depth ${depth}` }
  }
  const received = coins.reduce((sum, { amount }) => sum + amount, 0n)
  const sent = outputs.reduce((sum, { amount }) => sum + amount, 0n)
  if (received < sent) return { reason: 'bad-txns-in-belowout', detail: `value in (${coinsOf(received)}) < value out (${coinsOf(sent)})` }
  return { fee: received - sent }
}

/** The reason when a coin is spent already or never was. */
export const missing = 'bad-txns-inputs-missingorspent'

/** A lock time below this is a height, and a second since 1970 from there on. */
const firstTime = 500_000_000

export function isFinal({ lockTime, inputs }: Transaction, { height, medianOf }: Place): boolean {
  if (lockTime === 0 || lockTime < (lockTime < firstTime ? height : medianOf(height - 1))) return true
  return inputs.every(({ sequence }) => sequence === 0xffffffff)
}

/** An input's sequence may ask for a number of blocks, or of units of 512 seconds, since its coin (BIP 68). */
export function isMature({ version, inputs }: Transaction, coins: readonly Coin[], { height, medianOf }: Place): boolean {
  if (version < 2) return true
  return inputs.every(({ sequence }, index) => {
    if (sequence >= 0x80000000) return true
    const value = sequence & 0xffff
    const coin = coins[index]!
    if ((sequence & 0x400000) === 0) return coin.height + value <= height
    return medianOf(Math.max(coin.height - 1, 0)) + value * 512 <= medianOf(height - 1)
  })
}

/** Writes satoshis as a real node's messages do: trailing zeros are left out, down to two digits. */
export function coinsOf(amount: bigint): string {
  const digits = `${amount}`.padStart(9, '0')
  const fraction = digits.slice(-8).replace(/(\d{2}\d*?)0*$/, '$1')
  return `${digits.slice(0, -8)}.${fraction}`
}
