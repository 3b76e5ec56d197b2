import { afterAll } from 'vitest'
import { connect, findBitcoind, sourceOf, type BitcoinNode } from '../../../local/bitcoin/find-bitcoind.ts'
import { startBitcoinNode } from '../../../local/bitcoin/start-bitcoin-node.ts'
import { bitcoinFeed } from '../../../server/chains/bitcoin/feed.ts'
import { bitcoindSource } from '../../../server/chains/bitcoin/bitcoind-source.ts'
import { parseHeader } from '../../../server/chains/bitcoin/raw-block.ts'
import type { Transaction } from '@scure/btc-signer'
import { feedContract, type FeedUnderTest, type Misbehavior } from '../../contracts/feed.ts'
import { answer, type Lie, type ProxyBehavior, refusal, startNodeProxy } from './node-proxy.ts'
import { createTestBitcoin, testConfig, type TestBitcoin } from './test-bitcoin.ts'

const ran = new Set<string>()
/** The suite's test of crashes pays three times for every step at which a process can be killed. */
const coins = 2_000

async function startBitcoin(findNode: () => Promise<BitcoinNode>): Promise<TestBitcoin> {
  const node = await findNode()
  ran.add(node.name)
  return createTestBitcoin(node, coins)
}

async function subjectOf(bitcoin: TestBitcoin): Promise<FeedUnderTest> {
  bitcoin.clearQueue()
  const proxy = await startNodeProxy(bitcoin.node.url)
  const config = testConfig(proxy.url)
  const source = bitcoindSource({ ...config, node: { url: proxy.url, auth: undefined } })
  const sent = new Map<string, Transaction>()
  const spentBy = new Map<string, ReturnType<TestBitcoin['takeCoin']>>()

  async function send(outputs: readonly (readonly [string, bigint])[]): Promise<string> {
    const coin = bitcoin.takeCoin()
    const transaction = bitcoin.make([coin], outputs)
    const txid = await bitcoin.send(transaction)
    sent.set(txid, transaction)
    spentBy.set(txid, coin)
    bitcoin.queue(txid)
    return txid
  }

  async function behaviorOf(how: Misbehavior, to: string): Promise<ProxyBehavior> {
    switch (how) {
      case 'behind':
        return behind(2, false)
      case 'behind every second time':
        return behind(2, true)
      case 'ahead':
        return ahead(3)
      case 'forked': {
        // The next payment spends the same coin, so that the invented one can never be included.
        const block = await bitcoin.assemble([bitcoin.make([bitcoin.coins[0]!], [[to, 100_000n]]).hex])
        return forked(block, (await bitcoin.height()) + 1)
      }
      default:
        return how
    }
  }

  return {
    chain: { id: config.chainId, feed: bitcoinFeed(config, source) },
    needed: 3,
    token: null,
    unit: 1_000n,
    keepsWaiting: true,
    newAddress: bitcoin.newAddress,
    pay: (_token, to, amount) => send([[to, amount]]),
    payInVain: async () => ({ txHash: await send([]), to: bitcoin.newAddress() }),
    mine: async (count) => void (await bitcoin.mine(count)),
    reorg: bitcoin.reorg,
    async sendAgain(txHash) {
      if (!(await bitcoin.waiting()).includes(txHash)) await bitcoin.send(sent.get(txHash)!)
      bitcoin.queue(txHash)
    },
    abandon: async (txHash) => bitcoin.queue(bitcoin.make([spentBy.get(txHash)!], []).hex),
    misbehave: async (how, to) => proxy.become(await behaviorOf(how, to)),
    stop: proxy.close,
  }
}

/** Answers as a node that has seen no block above this height. */
async function upTo(last: number, { method, params }: Parameters<Lie>[0], ask: Parameters<Lie>[1]): ReturnType<Lie> {
  if (method === 'getblockchaininfo') return answer({ chain: 'regtest', blocks: last, bestblockhash: await ask('getblockhash', last) })
  return method === 'getblockhash' && Number(params[0]) > last ? refusal(-8) : undefined
}

function behind(blocks: number, everySecond: boolean): Lie {
  let calls = 0
  return async (call, ask) => {
    if (everySecond && call.method === 'getblockchaininfo' && calls++ % 2 === 0) return undefined
    return upTo(Number(await ask('getblockcount')) - blocks, call, ask)
  }
}

const ahead =
  (blocks: number): Lie =>
  async ({ method }, ask) =>
    method === 'getblockchaininfo'
      ? answer({ chain: 'regtest', blocks: Number(await ask('getblockcount')) + blocks, bestblockhash: 'ab'.repeat(32) })
      : undefined

/** Answers as a node whose head is a block of its own. */
function forked(block: Uint8Array, height: number): Lie {
  const { hash } = parseHeader(block)!
  const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
  return async (call, ask) => {
    const { method, params } = call
    if (method === 'getblockchaininfo') return answer({ chain: 'regtest', blocks: height, bestblockhash: hash })
    if (method === 'getblockhash' && params[0] === height) return answer(hash)
    if (params[0] === hash && method === 'getblockheader') return answer(hex(block.subarray(0, 80)))
    if (params[0] === hash && method === 'getblock') return answer(hex(block))
    return upTo(height, call, ask)
  }
}

/** All tests of a suite share a node, because addresses, databases and payments are their own. */
function runOn(name: string, findNode: () => Promise<BitcoinNode>): void {
  let bitcoin: Promise<TestBitcoin> | undefined
  feedContract(name, async () => subjectOf(await (bitcoin ??= startBitcoin(findNode))))
  afterAll(async () => (await bitcoin)?.node.stop())
}

runOn('Bitcoin on our node', () => startBitcoinNode().then(connect))
if (sourceOf(process.env).is !== 'ours') runOn('Bitcoin on a real node', () => findBitcoind(process.env))

afterAll(() => console.log(`The Bitcoin feed contract ran on ${[...ran].join(' and ')}.`))
