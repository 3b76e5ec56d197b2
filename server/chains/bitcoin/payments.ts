import type { ChainId } from '../../../src/wire/chain.ts'
import type { Position, SeenTransfer } from '../feed.ts'
import type { BitcoinConfig } from './bitcoin-config.ts'
import { confirmationsFor } from './confirmations.ts'
import type { RawTransaction } from './raw-transaction.ts'

/** An output that pays an address. */
export interface Payment {
  readonly vout: number
  readonly address: string
  readonly amount: bigint
}

/** A transaction that pays addresses of ours, and what it spends (see `bitcoin_inputs`). */
export interface PayingTransaction {
  readonly txid: string
  readonly isCoinbase: boolean
  readonly outpoints: readonly string[]
  readonly payments: readonly Payment[]
}

/** A miner's reward cannot be spent with fewer confirmations, so it is not final earlier. */
export const coinbaseMaturity = 100
/** No more satoshis than this will ever exist. */
const mostSatoshis = 2_100_000_000_000_000n

export const paymentsOf = ({ outputs }: RawTransaction, addressOf: (script: Uint8Array) => string | undefined): readonly Payment[] =>
  outputs.flatMap(({ script, amount }, vout) => {
    const address = amount > 0n && amount <= mostSatoshis ? addressOf(script) : undefined
    return address === undefined ? [] : [{ vout, address, amount }]
  })

/** Keys are stored with every order, so their text must never change. */
export const keyOf = (chainId: ChainId, txid: string, vout: number): string => `${chainId}:${txid}:${vout}`

/** Returns the transfers that a transaction makes, without their confirmations and without when they were seen. */
export const transfersOf = (
  config: Pick<BitcoinConfig, 'chainId' | 'confirmations'>,
  { txid, isCoinbase, payments }: Omit<PayingTransaction, 'outpoints'>,
): readonly Omit<SeenTransfer, 'confirmations' | 'at'>[] =>
  payments.map(({ vout, address, amount }) => ({
    chainId: config.chainId,
    key: keyOf(config.chainId, txid, vout),
    txHash: txid,
    token: null,
    to: address,
    amount,
    needed: isCoinbase ? coinbaseMaturity : confirmationsFor(config, amount),
  }))

export const placedAt = <T>(transfers: readonly T[], at: Position): readonly (T & { readonly at: Position })[] =>
  transfers.map((transfer) => ({ ...transfer, at }))

/** Transfers in the mempool have no position and no confirmations. */
export const unplaced = <T>(transfers: readonly T[]): readonly (T & { readonly confirmations: number })[] =>
  transfers.map((transfer) => ({ ...transfer, confirmations: 0 }))
