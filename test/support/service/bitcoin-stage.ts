import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as z from 'zod'
import { Amount } from '../../../local/bitcoin/bitcoin-rpc.ts'
import { createFaucet, type Faucet } from '../../../local/bitcoin/faucet.ts'
import { type BitcoinNode, findBitcoind } from '../../../local/bitcoin/find-bitcoind.ts'
import { connect, type Sql } from '../../../server/database/connect.ts'
import type { Organization } from '../../../server/organizations/organizations.ts'
import { bitcoin, bitcoinEntry, bitcoinEnv } from '../../chains/bitcoin/support.ts'
import { type Client, createClient } from '../client/client.ts'
import { keyHashAccount, taprootAccount, type BitcoinAccount, type OwnedCoin } from '../wallets/bitcoin-wallet.ts'
import { createDatabase } from './database.ts'
import { createMerchant } from './merchant.ts'
import { freePort } from './free-port.ts'
import { startPrices, type Prices } from './prices.ts'
import { startService, type Service } from './service.ts'

export const confirmations = 2

/** A service whose only chain is a Bitcoin node of its own, on which the test mines each block. */
export interface BitcoinStage {
  readonly node: BitcoinNode
  readonly faucet: Faucet
  readonly sql: Sql
  readonly prices: Prices['known']
  start(): Promise<Service>
  /** Creates an organisation that is paid in bitcoin, to addresses that no other test uses. */
  merchant(change?: Partial<Organization>): Promise<BitcoinMerchant>
  /** Gives a wallet of its own a coin that is in a block. */
  payerWith(amount: bigint): Promise<OwnedCoin>
  broadcast(raw: string): Promise<string>
  balance(address: string): Promise<bigint>
  close(): Promise<void>
}

export interface BitcoinMerchant {
  readonly recipient: string
  readonly collector: string
  at(service: Service): Client
}

export async function startBitcoinStage(): Promise<BitcoinStage> {
  const [node, database, prices] = await Promise.all([findBitcoind(process.env), createDatabase(), startPrices()])
  const faucet = await createFaucet(node.rpc)
  const sql = connect(database.url)
  prices.known.set('btc', { usd: '65000' })
  const folder = mkdtempSync(join(tmpdir(), 'till-bitcoin-stage-'))
  const table = join(folder, 'chains.json')
  const more = { nodes: [{ rpc_url: node.url }], confirmations: [{ blocks: confirmations }], poll_ms: 30, replace_after_ms: 3_600_000 }
  writeFileSync(table, JSON.stringify({ chains: [bitcoinEntry(more)] }))
  const running = new Set<Service>()
  const Found = z.object({ unspents: z.array(z.object({ txid: z.string(), vout: z.number() })), total_amount: Amount })
  const scan = (address: string) => node.rpc.call('scantxoutset', ['start', [`addr(${address})`]], Found)
  let wallets = 0
  return {
    node,
    faucet,
    sql,
    prices: prices.known,
    async start() {
      const port = await freePort()
      const service = await startService({
        env: {
          ...bitcoinEnv,
          DATABASE_URL: database.url,
          TILL_CHAINS: table,
          PRICES_URL: prices.url,
          PRICES_SINGLE_SOURCE: 'true',
          PAY_URL: `http://127.0.0.1:${port}`,
          HOST: '127.0.0.1',
          PORT: String(port),
          RATE_PER_SECOND: '100000',
          RATE_BURST: '100000',
          LOG_LEVEL: 'info',
        },
      })
      running.add(service)
      return service
    },
    async merchant(change) {
      const name = randomBytes(6).toString('hex')
      const [recipient, collector] = [taprootAccount(`shop ${name}`).address, keyHashAccount(`fees ${name}`).address]
      const settlement = { chainId: bitcoin.chain_id, address: null, recipient, feeCollector: collector }
      const { keys } = await createMerchant(sql, name, { settlements: [settlement], ...change })
      return { recipient, collector, at: ({ payUrl }) => createClient(`${payUrl}/v3`, keys) }
    },
    async payerWith(amount) {
      const owner: BitcoinAccount = keyHashAccount(`payer ${wallets++}`)
      const txid = await faucet.pay(owner.address, amount)
      await faucet.mine(1)
      const { unspents } = await scan(owner.address)
      return { owner, txid, vout: unspents.find((unspent) => unspent.txid === txid)!.vout, amount }
    },
    broadcast: (raw) => node.rpc.call('sendrawtransaction', [raw, 0], z.string()),
    balance: async (address) => (await scan(address)).total_amount,
    async close() {
      await Promise.all([...running].map((service) => service.close()))
      await sql.end()
      await Promise.all([database.drop(), node.stop(), prices.close()])
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
