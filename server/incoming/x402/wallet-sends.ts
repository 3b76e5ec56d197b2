import { createHash } from 'node:crypto'
import { transaction } from '../../database/transaction.ts'
import type { ChainId } from '../../../src/wire/chain.ts'
import type { Call } from '../../chains/chain.ts'
import type { EvmChain } from '../../chains/evm/create-evm-chain.ts'
import { askReceipt } from '../../chains/evm/asks.ts'
import type { Report } from '../../chains/sender.ts'
import { sendPriority } from '../../orders/model/created-by.ts'
import type { Order } from '../../orders/model/order.ts'
import type { Engine } from '../../orders/engine.ts'
import { pause } from '../../lib/pause.ts'
import { lockOrder } from '../../orders/order-queries.ts'

/** Each costs the operator's gas: of one order's payers, so many may have theirs made. */
const mostWallets = 3

/**
 * A payer's contract wallet that an allow-listed factory makes on the way (ERC-6492). Nothing depends on remembering it: once the wallet
 * is there, the same signature is an ordinary contract signature. Same wallet asked for twice: one transaction.
 */
export const walletSends = (engine: Engine, gasCap: bigint) => ({
  send: async ({ id: orderId, terms }: Order, chainId: ChainId, call: Call, deadline: number): Promise<string> => {
    const id = `x402_wallet:${createHash('sha256').update(`${orderId} ${chainId} ${call.to} ${call.data}`).digest('hex')}`
    await transaction(engine.sql, async (tx) => {
      await lockOrder(tx, orderId)
      const made = await tx`select id from sends where order_id = ${orderId} and kind = 'x402_wallet'`
      if (made.some((row) => row.id === id)) return
      if (made.length >= mostWallets) throw new Error(`order ${orderId} has had ${mostWallets} wallets made for it`)
      const purpose = { kind: 'x402_wallet', orderId, ref: id }
      await engine.sender.enqueue(tx, { id, chainId, ...call, gasCap, priority: sendPriority(terms), purpose })
    })
    while (performance.now() < deadline) {
      const [row] = await engine.sql`select tx_hash from send_attempts where send_id = ${id} and announced order by signed_at desc limit 1`
      if (row) return row.tx_hash as string
      const [refused] = await engine.sql`select refusal from sends where id = ${id} and state = 'refused'`
      if (refused) throw new Error(`the wallet cannot be made: ${refused.refusal}`)
      await pause(50)
    }
    throw new Error('settlement_pending')
  },
  receipt: async (chain: EvmChain, hash: string, deadline: number): Promise<{ ok: boolean }> => {
    while (performance.now() < deadline) {
      const [receipt] = await chain.rpc.read(AbortSignal.timeout(10_000), askReceipt(hash))
      if (receipt) return { ok: receipt.status === 1n }
      await pause(100)
    }
    throw new Error('settlement_pending')
  },
  report: (async () => undefined) satisfies Report,
})
