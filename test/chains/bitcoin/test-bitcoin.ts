import type { Transaction } from '@scure/btc-signer'
import * as z from 'zod'
import { createFaucet } from '../../../local/bitcoin/faucet.ts'
import type { BitcoinNode } from '../../../local/bitcoin/find-bitcoind.ts'
import type { BitcoinConfig } from '../../../server/chains/bitcoin/bitcoin-config.ts'
import { parseAccountKey } from '../../../server/chains/bitcoin/account-key.ts'
import { HDKey } from '@scure/bip32'
import { keyHashAccount, spend, type OwnedCoin } from '../../support/wallets/bitcoin-wallet.ts'

const Hash = z.string().length(64)
const Hashes = z.array(Hash)
const Mined = z.object({ hash: Hash })

/** A Bitcoin node with a payer whose coins are confirmed, and who decides what blocks contain. */
export interface TestBitcoin {
  readonly node: BitcoinNode
  readonly coins: OwnedCoin[]
  newAddress(): string
  /** Makes a transaction without change, so what it does not pay is its fee. Of several with the same coin, one that pays less replaces the others. */
  make(coins: readonly OwnedCoin[], outputs: readonly (readonly [string, bigint])[]): Transaction
  takeCoin(): OwnedCoin
  send(transaction: Transaction): Promise<string>
  /** The next block includes these, whether they wait or not. */
  queue(...transactions: readonly string[]): void
  clearQueue(): void
  mine(count?: number): Promise<string>
  /** Makes blocks that include what waits here and nothing else. */
  mineOnly(transactions: readonly string[], to?: string): Promise<string>
  /** Makes a block on top of the head and keeps it from the node. */
  assemble(transactions: readonly string[]): Promise<Uint8Array>
  /** Removes the last blocks. */
  invalidate(depth: number): Promise<void>
  reorg(depth: number): Promise<void>
  waiting(): Promise<string[]>
  height(): Promise<number>
}

const coinAmount = 1_100_000n
const accountKey = HDKey.fromMasterSeed(Buffer.from('the account of tests'.padEnd(32, ' ')), { private: 0x04358394, public: 0x043587cf })

export function testConfig(url: string, more: Partial<BitcoinConfig> = {}): BitcoinConfig {
  return {
    family: 'bitcoin',
    chainId: 20000000000001,
    network: 'local',
    nodes: [{ kind: 'bitcoind', url, auth: undefined }],
    requireSecondNode: false,
    confirmations: [{ blocks: 3 }],
    tokens: [],
    account: { kind: 'local', key: parseAccountKey(accountKey.privateExtendedKey, 'local')! },
    blockSeconds: 600,
    pollMs: 5,
    timeoutMs: 4_000,
    replaceAfterMs: 60_000,
    feeRates: { fallback: 2_000n, most: 300_000n },
    ...more,
  }
}

let started = 0

export async function createTestBitcoin(node: BitcoinNode, coinCount = 60): Promise<TestBitcoin> {
  const { rpc } = node
  const run = `${process.pid} ${Date.now()} ${++started}`
  let names = 0
  const newAddress = () => keyHashAccount(`${run} ${++names}`).address
  const payer = keyHashAccount(`payer ${run}`)
  /** A transaction that pays nobody has these outputs, which anybody may spend. With only one of them it would be too short to be relayed. */
  const anchor = Buffer.from([0x51, 0x02, 0x4e, 0x73])
  const nobody = [
    [anchor, 1_000n],
    [anchor, 1_000n],
  ] as const
  const call = <T>(answer: z.ZodType<T>, method: string, ...params: unknown[]) => rpc.call(method, params, answer)

  const faucet = await createFaucet(rpc)
  const total = coinAmount * BigInt(coinCount)
  const funding = await faucet.pay(payer.address, total + 1_000_000n)
  const funded = await call(
    z.object({ vout: z.array(z.object({ n: z.number(), scriptPubKey: z.object({ hex: z.string() }) })) }),
    'getrawtransaction',
    funding,
    true,
  )
  const vout = funded.vout.find(({ scriptPubKey }) => scriptPubKey.hex === Buffer.from(payer.script).toString('hex'))!.n
  const outputs = Array.from({ length: coinCount }, () => [payer.address, coinAmount] as const)
  const split = spend([{ owner: payer, txid: funding, vout, amount: total + 1_000_000n }], { outputs })
  await call(Hash, 'sendrawtransaction', split.hex, 0)
  await faucet.mine(1)
  const coins = outputs.map((_, index): OwnedCoin => ({ owner: payer, txid: split.id, vout: index, amount: coinAmount }))

  let queued: string[] = []
  const mineOnly = async (transactions: readonly string[], to = newAddress()) => (await call(Mined, 'generateblock', to, transactions)).hash
  const height = () => call(z.number(), 'getblockcount')
  const invalidate = async (depth: number) => {
    await call(z.null(), 'invalidateblock', await call(Hash, 'getblockhash', (await height()) - depth + 1))
  }

  return {
    node,
    coins,
    newAddress,
    make: (spent, paid) => spend(spent, { outputs: paid.length === 0 ? nobody : paid }),
    takeCoin() {
      const coin = coins.shift()
      if (!coin) throw new Error('the payer has no coins left')
      return coin
    },
    send: ({ hex }) => call(Hash, 'sendrawtransaction', hex, 0),
    queue: (...transactions) => void queued.push(...transactions),
    clearQueue: () => void (queued = []),
    async mine(count = 1) {
      const included = queued
      queued = []
      let last = await mineOnly(included)
      for (let i = 1; i < count; i++) last = await mineOnly([])
      return last
    },
    mineOnly,
    async assemble(transactions) {
      const { hex } = await call(z.object({ hex: z.string() }), 'generateblock', newAddress(), transactions, false)
      return Buffer.from(hex, 'hex')
    },
    invalidate,
    async reorg(depth) {
      await invalidate(depth)
      for (let i = 0; i < depth; i++) await mineOnly([])
    },
    waiting: () => call(Hashes, 'getrawmempool'),
    height,
  }
}
