import { randomBytes } from 'node:crypto'
import type { Ledger } from '../../local/solana/ledger.ts'
import { answering } from '../../local/solana/rpc/answer.ts'
import { decodeTransaction } from '../../local/solana/wire-transaction.ts'
import type { DepositAsk } from '../../server/chains/chain.ts'
import { addressPool } from '../../server/chains/solana/address-pool.ts'
import { solanaPayouts } from '../../server/chains/solana/payouts/solana-payouts.ts'
import { rpcClient, type SolanaRpc } from '../../server/chains/solana/rpc-client.ts'
import { createSolanaSigner } from '../../server/chains/solana/signer.ts'
import { type Behavior, type Call, type NodeProxy, startNodeProxy } from '../chains/solana/node-proxy.ts'
import { createTestSolana, finalAfter, operatorKey, type TokenKind, tokenKinds } from '../chains/solana/test-solana.ts'
import { type Lie, payoutsContract, type PayoutsUnderTest } from '../contracts/payouts.ts'
import { createDatabase } from '../support/service/database.ts'

const chainId = 30_000_000_000_001
const signal = AbortSignal.timeout(600_000)

for (const [name, kind] of tokenKinds) payoutsContract(name, () => startPayouts(kind))

async function startPayouts(kind: TokenKind): Promise<PayoutsUnderTest> {
  const [solana, database] = await Promise.all([createTestSolana(kind), createDatabase()])
  const { ledger } = solana
  const { sql } = database
  const signer = createSolanaSigner({ kind: 'local', seed: randomBytes(32), operatorKey })
  const pool = addressPool({ signer, size: 100 })
  const token = solana.mint
  const config = {
    chainId,
    tokens: solana.tokens,
    confirmations: finalAfter + 1,
    unitPrice: { least: 10_000n, most: 1_000_000n },
    pollMs: 5,
    requireSecondNode: false,
  } as const
  const proxies: NodeProxy[] = []
  const [truthful, ...others] = await Promise.all([0, 1, 2, 3].map(() => startNodeProxy(answering(ledger, {}))))
  proxies.push(truthful!, ...others)
  const urlOf = (behavior: Behavior | undefined): string => {
    const proxy = behavior ? others.pop()! : truthful!
    if (behavior) proxy.become(behavior)
    return proxy.url
  }
  const stepping = (client: SolanaRpc, step: () => Promise<void> | void): SolanaRpc => {
    const around =
      <F extends (...args: never[]) => Promise<unknown>>(ask: F) =>
      async (...args: Parameters<F>) => {
        await step()
        const answers = await ask(...args)
        await step()
        return answers
      }
    return { read: around(client.read as never), attempt: around(client.attempt as never) } as unknown as SolanaRpc
  }
  return {
    confirmations: finalAfter + 1,
    sql,
    token,
    create({ step = () => undefined, isImpatient, lie } = {}) {
      const behavior = isImpatient ? dropsAtFirst(ledger) : lie && liar(lie)
      const client = rpcClient({ chainId, urls: [urlOf(behavior)], timeoutMs: 60_000 })
      return solanaPayouts({ config, rpc: stepping(client, step), signer })
    },
    async fund(orderId, amount) {
      await pool.fill(sql, signal)
      const { address: deposit } = await pool.reserve(sql, { orderId } as DepositAsk)
      await solana.send(await solana.payment(token, deposit, amount))
      ledger.advance(1)
    },
    balance: solana.tokensOf,
    freshAddress: solana.newAddress,
    refusedAddress: solana.frozenOwner,
    lies: ['denies', 'drops'],
    recipient: solana.newAddress(),
    feeCollector: solana.newAddress(),
    impossible: { legs: [{ to: solana.newAddress(), amount: 1n }] },
    mine: async (blocks) => ledger.advance(blocks),
    reorg: async (depth) => void ledger.fork(depth),
    async stop() {
      await Promise.all(proxies.map((proxy) => proxy.close()))
      await Promise.all([solana.stop(), database.drop()])
    },
  }
}

/** The first transactions are lost, and so many blocks follow each that it expires. */
function dropsAtFirst(ledger: Ledger): Behavior {
  let drops = 2
  return async (calls) => {
    const [send] = calls.filter(({ method }) => method === 'sendTransaction')
    if (drops === 0 || !send) return undefined
    drops--
    ledger.advance(160 + finalAfter)
    return [swallowed(send)]
  }
}

const swallowed = ({ id, params }: Call) => ({ id, result: decodeTransaction(Buffer.from(String(params[0]), 'base64'))?.signature })

function liar(lie: Lie): Behavior {
  switch (lie) {
    case 'drops':
      return async ([call]) => (call?.method === 'sendTransaction' ? [swallowed(call)] : undefined)
    case 'denies':
      return async (calls, ask) =>
        calls.some(({ method }) => method === 'getSignatureStatuses' || method === 'getTransaction')
          ? (await ask()).map((answer, i) => denied(calls[i]!.method, answer))
          : undefined
    case 'invents a block for':
      throw new Error('a node cannot tell this lie to who asks for the transaction too')
    default:
      return lie satisfies never
  }
}

function denied(method: string, answer: { readonly id: number; readonly result?: unknown }) {
  if (method === 'getTransaction') return { ...answer, result: null }
  if (method !== 'getSignatureStatuses') return answer
  const { context, value } = answer.result as { context: unknown; value: unknown[] }
  return { ...answer, result: { context, value: value.map(() => null) } }
}
