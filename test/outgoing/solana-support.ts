import { randomBytes } from 'node:crypto'
import { type Address, address } from '@solana/kit'
import { answering } from '../../local/solana/rpc/answer.ts'
import type { DepositAsk } from '../../server/chains/chain.ts'
import type { Payout, PayoutOutcome } from '../../server/chains/payouts.ts'
import { noteSlot } from '../../server/chains/solana/accounts.ts'
import { addressPool } from '../../server/chains/solana/address-pool.ts'
import { solanaPayouts } from '../../server/chains/solana/payouts/solana-payouts.ts'
import type { Sql } from '../../server/database/connect.ts'
import { rpcClient } from '../../server/chains/solana/rpc-client.ts'
import { addressOfKey, createSolanaSigner } from '../../server/chains/solana/signer.ts'
import { type NodeProxy, startNodeProxy } from '../chains/solana/node-proxy.ts'
import { createTestSolana, finalAfter, operatorKey, type TestSolana, type TokenKind } from '../chains/solana/test-solana.ts'
import { run } from '../contracts/payouts.ts'
import { createDatabase } from '../support/service/database.ts'
import { until } from '../support/wait.ts'

export const chainId = 30_000_000_000_001

/** Payouts of orders on a chain whose slots pass while they are waited for. */
export interface SolanaSends {
  readonly sql: Sql
  readonly solana: TestSolana
  /** The payouts' node. */
  readonly proxy: NodeProxy
  readonly operator: Address
  lamports(of: string): bigint
  /** Makes an order that has been paid this much, in coins or in a token. */
  orderWith(token: string | null, amount: bigint): Promise<{ readonly orderId: string; readonly deposit: string }>
  /** Notes that the feed has read everything that is confirmed. */
  read(): Promise<void>
  /** Pays and resolves to the last outcome. */
  paid(payout: Pick<Payout, 'orderId' | 'token' | 'legs' | 'reason'>): Promise<PayoutOutcome>
  close(): Promise<void>
}

/** The price of a compute unit is the least one while no block asks for more. */
export async function startSolanaSends(unitPrice = { least: 10_000n, most: 1_000_000n }, kind: TokenKind = {}): Promise<SolanaSends> {
  const [solana, database] = await Promise.all([createTestSolana(kind), createDatabase()])
  const proxy = await startNodeProxy(answering(solana.ledger, {}))
  const signer = createSolanaSigner({ kind: 'local', seed: randomBytes(32), operatorKey })
  const pool = addressPool({ signer, size: 50 })
  await pool.fill(database.sql, AbortSignal.timeout(60_000))
  let orders = 0
  return {
    sql: database.sql,
    solana,
    proxy,
    operator: addressOfKey(operatorKey),
    lamports: (of) => solana.ledger.account(address(of), 'processed')?.lamports ?? 0n,
    async orderWith(token, amount) {
      const orderId = `order-${orders++}`
      const { address: deposit } = await pool.reserve(database.sql, { orderId } as DepositAsk)
      await solana.send(await solana.payment(token, deposit, amount))
      solana.ledger.advance(1)
      return { orderId, deposit }
    },
    read: () => noteSlot(database.sql, chainId, solana.ledger.tip('confirmed').slot),
    async paid(payout) {
      const rpc = rpcClient({ chainId, urls: [proxy.url], timeoutMs: 10_000 })
      const payouts = solanaPayouts({
        config: { chainId, tokens: solana.tokens, confirmations: finalAfter + 1, unitPrice, pollMs: 5, requireSecondNode: false },
        rpc,
        signer,
      })
      const { reports, stop } = run(payouts, { sql: database.sql })
      const id = `payout-of-${payout.orderId}-${randomBytes(3).toString('hex')}`
      await payouts.enqueue(database.sql, { id, purpose: { kind: 'settlement', orderId: payout.orderId, ref: 's' }, ...payout })
      try {
        return await until(() => {
          const last = reports.findLast((each) => each.id === id)?.outcome
          if (last?.state === 'confirmed' || last?.state === 'failed') return last
          solana.ledger.advance(1)
          return undefined
        })
      } finally {
        await stop()
      }
    },
    async close() {
      await proxy.close()
      await Promise.all([solana.stop(), database.drop()])
    },
  }
}
