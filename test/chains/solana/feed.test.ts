import { expect, test } from 'vitest'
import type { Feed } from '../../../server/chains/feed.ts'
import { watchAddress } from '../../../server/chains/solana/accounts.ts'
import { solanaFeed } from '../../../server/chains/solana/account-feed.ts'
import { rpcClient } from '../../../server/chains/solana/rpc-client.ts'
import { createNotebook } from '../../contracts/feed-notebook.ts'
import { feedContract, type FeedUnderTest } from '../../contracts/feed.ts'
import { createDatabase } from '../../support/service/database.ts'
import { until } from '../../support/wait.ts'
import { createTestSolana, finalAfter, type TokenKind, tokenKinds } from './test-solana.ts'
import type { WireTransaction } from '../../../local/solana/wire-transaction.ts'

const chainId = 30_000_000_000_001

for (const [name, kind] of tokenKinds) feedContract(name, () => startFeed(kind))

test('behavior: slots without blocks are no gap, neither before nor after a payment', async () => {
  const [solana, database] = await Promise.all([createTestSolana(), createDatabase()])
  try {
    const { ledger, tokens, proxy } = solana
    const rpc = rpcClient({ chainId, urls: [proxy.url], timeoutMs: 4_000 })
    const config = { chainId, tokens, confirmations: finalAfter + 1, slotSeconds: 0.4, pollMs: 1, wsUrls: [] } as const
    const notebook = createNotebook(() => undefined)
    const { sql } = database
    const follow = solanaFeed(config, rpc).follower({ sql, log: { warn: () => undefined }, observer: notebook.observer })
    const [to, signal] = [solana.newAddress(), AbortSignal.timeout(60_000)]
    notebook.watch(to)
    await watchAddress(sql, chainId, to, tokens)
    const states = async () => {
      await follow(signal)
      return notebook.transfersTo(to).map(({ state }) => state)
    }
    expect(await states()).toEqual([])
    ledger.skip(300)
    await solana.send(await solana.payment(null, to, 5_000_000n))
    ledger.skip(7)
    ledger.advance(1)
    await until(async () => expect(await states()).toEqual(['pending']) ?? true)
    for (let i = 0; i < finalAfter; i++) {
      ledger.skip(50)
      ledger.advance(1)
    }
    await until(async () => expect(await states()).toEqual(['final']) ?? true)
  } finally {
    await Promise.all([solana.stop(), database.drop()])
  }
})

async function startFeed(kind: TokenKind): Promise<FeedUnderTest> {
  const solana = await createTestSolana(kind)
  const { ledger, mint, proxy, tokens } = solana
  const needed = finalAfter + 1
  const rpc = rpcClient({ chainId, urls: [proxy.url], timeoutMs: 4_000 })
  const feed = solanaFeed({ chainId, tokens, confirmations: needed, slotSeconds: 0.4, pollMs: 1, wsUrls: [] }, rpc)
  const addresses: string[] = []
  /** Orders reserve their addresses before they are watched, and here the suite names them. */
  const following: Feed = {
    ...feed,
    follower: (tools) => {
      const follow = feed.follower(tools)
      return async (signal) => {
        for (const each of addresses.slice(-1)) await watchAddress(tools.sql, chainId, each, tokens)
        await follow(signal)
      }
    },
  }
  /** What was sent and the next block will include. */
  const waiting: WireTransaction[] = []
  const sent = new Map<string, WireTransaction>()
  const put = (wire: WireTransaction): string => {
    waiting.push(wire)
    sent.set(wire.signature!, wire)
    return wire.signature!
  }
  return {
    chain: { id: chainId, feed: following },
    needed,
    token: mint,
    unit: 1_000_000n,
    keepsWaiting: false,
    keepsFinal: true,
    // A node that is behind lacks the transaction too, so only a final block without it proves that it is gone.
    dropsAfter: needed,
    newAddress() {
      const made = solana.newAddress()
      addresses.push(made)
      return made
    },
    pay: async (of, to, amount) => put(await solana.payment(of, to, amount)),
    async payInVain() {
      const to = solana.newAddress()
      addresses.push(to)
      const wire = await solana.payment(null, to, 10n ** 18n)
      return { txHash: put(wire), to }
    },
    async mine(count = 1) {
      for (const wire of waiting.splice(0)) await solana.send(wire)
      ledger.advance(count)
    },
    async reorg(depth) {
      ledger.fork(depth)
    },
    sendAgain: async (txHash) => void put(sent.get(txHash)!),
    abandon: async (txHash) => void sent.delete(txHash),
    misbehave: async (how, to) => solana.misbehave(how, to),
    stop: solana.stop,
  }
}
