import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Address, address, createKeyPairSignerFromPrivateKeyBytes, getAddressDecoder } from '@solana/kit'
import { type LocalSolana, startLocalSolana } from '../../../local/solana/start-local-solana.ts'
import { localMint, localTokens, makeTokens } from '../../../local/solana/tokens.ts'
import { lifetime } from '../../../local/solana/ledger.ts'
import type { SolanaNode } from '../../../local/solana/start-solana-node.ts'
import { tokenBalance } from '../../../local/solana/token-balance.ts'
import { transact } from '../../../local/solana/transact.ts'
import { type Mint, TOKEN_2022_PROGRAM_ADDRESS } from '../../../server/chains/solana/mints.ts'
import { tokenAccount } from '../../../server/chains/solana/token-account.ts'
import { connect, type Sql } from '../../../server/database/connect.ts'
import type { Organization } from '../../../server/organizations/organizations.ts'
import { metadataInstruction, mintInstructions } from '../../chains/solana/mint-extensions.ts'
import { localSolanaEntry, solanaEnv } from '../../chains/solana/support.ts'
import { type Client, createClient } from '../client/client.ts'
import { endWindowIn } from '../orders/payments.ts'
import { type SolanaWallets, solanaWallets } from '../wallets/solana-wallet.ts'
import { createDatabase } from './database.ts'
import { freePort } from './free-port.ts'
import { createMerchant } from './merchant.ts'
import { startPrices, type Prices } from './prices.ts'
import { startService, type Service } from './service.ts'

/** A service whose only chain is a Solana node of its own, whose slots follow each other by themselves. */
export interface SolanaStage {
  readonly solana: LocalSolana
  /** Payers, by the official client. */
  readonly wallets: SolanaWallets
  readonly usdc: Address
  /** A token of Token-2022. */
  readonly pusd: Mint
  readonly sql: Sql
  readonly prices: Prices['known']
  start(env?: Record<string, string | undefined>): Promise<Service>
  /** Creates an organisation that is paid in SOL and in USDC, at accounts that no other test uses. */
  merchant(change?: Partial<Organization>): Promise<SolanaMerchant>
  /** In USDC, unless another token is named. */
  giveTokens(to: string, amount: bigint, token?: Mint): Promise<void>
  giveCoins(to: string, amount: bigint): Promise<void>
  /** Returns what somebody has in coins, or in a token. */
  balance(of: string, token?: string | null): Promise<bigint>
  /** Ends the order's payment window. */
  expire(orderId: string): Promise<void>
  /** So many slots pass that every transaction that was built until now has expired, and this is final. */
  outlive(): void
  close(): Promise<void>
}

export interface SolanaMerchant {
  readonly recipient: string
  readonly collector: string
  at(service: Service): Client
}

export const solanaChain = { chain_id: 30_000_000_000_001 } as const

/** Far fewer than on the public cluster, so that slots can be as slow as there, and final soon. */
const finalAfter = 3

export const newAddress = (): string => getAddressDecoder().decode(randomBytes(32))

export interface SolanaStageOptions {
  /** A transaction is valid for 150 slots, so tests that sign slowly need slower ones. Those of the public cluster take 400 ms. */
  readonly slotMs?: number
  /** Members of the chain's entry in the table. */
  readonly entry?: object
}

export async function startSolanaStage({ slotMs = 100, entry: more }: SolanaStageOptions = {}): Promise<SolanaStage> {
  const [solana, database, prices] = await Promise.all([
    startLocalSolana({ slots: { ms: slotMs }, finalAfter }),
    createDatabase(),
    startPrices(),
  ])
  const { ledger, faucet } = solana.node
  const usdc = localTokens[0].address
  const pusd = await createPusd(solana.node)
  const sql = connect(database.url)
  prices.known.set('sol', { usd: '150' })
  prices.known.set('usdc', { usd: '1' })
  prices.known.set('pusd', { usd: '1' })
  const folder = mkdtempSync(join(tmpdir(), 'till-solana-stage-'))
  const table = join(folder, 'chains.json')
  const known = {
    ...pusd,
    chainId: solanaChain.chain_id,
    symbol: 'PUSD',
    name: 'Plain Dollar',
    decimals: 6,
    peg: 'usd',
    priceId: 'PUSD',
  } as const
  const config = { ...solana.config, tokens: [...solana.config.tokens, known] }
  const entry = localSolanaEntry({ ...solana, config }, { poll_ms: 20, addresses_ahead: 50, ...more })
  writeFileSync(table, JSON.stringify({ chains: [entry] }))
  const running = new Set<Service>()
  return {
    solana,
    wallets: solanaWallets(solana.node.url, solana.node.wsUrl),
    usdc,
    pusd,
    sql,
    prices: prices.known,
    async start(env) {
      const port = await freePort()
      const service = await startService({
        env: {
          ...solanaEnv,
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
          ...env,
        },
      })
      running.add(service)
      return service
    },
    async merchant(change) {
      const name = randomBytes(6).toString('hex')
      const [recipient, collector] = [newAddress(), newAddress()]
      const settlements = [usdc, null].map((token) => ({
        chainId: solanaChain.chain_id,
        address: token,
        recipient,
        feeCollector: collector,
      }))
      const { keys } = await createMerchant(sql, name, { settlements: settlements as never, ...change })
      return { recipient, collector, at: ({ payUrl }) => createClient(`${payUrl}/v3`, keys) }
    },
    giveCoins: async (to, amount) => void (await faucet.pay(address(to), amount)),
    giveTokens: (to, amount, token = localMint(usdc)) => makeTokens(ledger, faucet, token, address(to), amount),
    async balance(of, token = null) {
      if (token === null) return ledger.account(address(of), 'confirmed')?.lamports ?? 0n
      const mint = token === pusd.address ? pusd : localMint(address(token))
      const account = ledger.account(await tokenAccount(of, mint), 'confirmed')
      return tokenBalance(account, (mint) => ledger.account(mint, 'confirmed'))?.amount ?? 0n
    },
    outlive: () => ledger.advance(lifetime + finalAfter + 2),
    expire: async (orderId) => void (await endWindowIn({ database }, orderId, -1)),
    async close() {
      await Promise.all([...running].map((service) => service.close()))
      await sql.end()
      await Promise.all([database.drop(), solana.stop(), prices.close()])
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The faucet makes it, like the tokens of local mode. */
async function createPusd({ ledger, faucet: { signer } }: SolanaNode): Promise<Mint> {
  const mint = await createKeyPairSignerFromPrivateKeyBytes(randomBytes(32))
  const program = TOKEN_2022_PROGRAM_ADDRESS
  await transact(ledger, signer, [
    ...mintInstructions(signer, { mint, program, decimals: 6, extensions: ['metadataPointer'], rent: ledger.rent }),
    metadataInstruction(mint.address, signer),
  ])
  return { address: mint.address, program }
}
