import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bitcoindSource } from '../../../server/chains/bitcoin/bitcoind-source.ts'
import { esploraSource } from '../../../server/chains/bitcoin/esplora-source.ts'
import { bitcoinFeed } from '../../../server/chains/bitcoin/feed.ts'
import { parseBlock } from '../../../server/chains/bitcoin/raw-block.ts'
import type { BitcoinSource } from '../../../server/chains/bitcoin/source.ts'
import { bitcoinSources } from '../../../server/chains/bitcoin/sources.ts'
import { whileCollecting } from '../../support/collect-garbage.ts'
import { bitcoinNodes, type NodeToTest, recordNodes } from '../../support/service/bitcoin-nodes.ts'
import { startEsploraServer, type EsploraServer } from './esplora-server.ts'
import { answer, startNodeProxy, type NodeProxy } from './node-proxy.ts'
import { createTestBitcoin, testConfig, type TestBitcoin } from './test-bitcoin.ts'

const { recorded, say } = recordNodes()
afterAll(() => say('The sources of Bitcoin'))

for (const { name, start } of bitcoinNodes) describe(`Bitcoin on ${name}`, () => sourcesOn(start))

function sourcesOn(start: NodeToTest['start']): void {
  const signal = AbortSignal.timeout(600_000)
  let bitcoin: TestBitcoin
  let esplora: EsploraServer
  let proxy: NodeProxy

  beforeAll(async () => {
    bitcoin = await createTestBitcoin(await recorded(start()), 40)
    esplora = await startEsploraServer(bitcoin.node.rpc)
    proxy = await startNodeProxy(bitcoin.node.url)
  })
  afterAll(async () => {
    await Promise.all([esplora?.close(), proxy?.close()])
    await bitcoin?.node.stop()
  })

  const config = testConfig('')
  const sources: readonly [string, () => BitcoinSource][] = [
    ['a node', () => bitcoindSource({ ...config, node: { url: bitcoin.node.url, auth: undefined } })],
    ['Esplora', () => esploraSource({ ...config, node: esplora })],
  ]

  for (const [name, open] of sources)
    describe(`a source on ${name}`, () => {
      test('default: reads the head, blocks by height, and raw blocks that have these hashes', async () => {
        const source = open()
        const head = await source.head(signal)
        expect(head.number).toBe(await bitcoin.height())
        expect(await source.block(head.number, signal)).toEqual(head)
        expect((await source.block(head.number - 1, signal))!.hash).toBe(head.parentHash)
        expect(await source.block(head.number + 1, signal)).toBeUndefined()
        expect(parseBlock(await source.rawBlock(head.hash, signal))).toMatchObject({ hash: head.hash, parentHash: head.parentHash })
      })

      test('behavior: shows what waits, what spends an output, and where a transaction is', async () => {
        const source = open()
        const coin = bitcoin.takeCoin()
        const transaction = bitcoin.make([coin], [[bitcoin.newAddress(), 900_000n]])
        expect(await source.find(transaction.id, signal)).toBeUndefined()
        const outpoint = `${coin.txid}:${coin.vout}`
        expect(await source.spenders([outpoint], signal)).toEqual([undefined])
        expect(await source.broadcast(Buffer.from(transaction.hex, 'hex'), signal)).toBeUndefined()
        expect(await source.broadcast(Buffer.from(transaction.hex, 'hex'), signal)).toBeUndefined()
        expect(await source.waiting(signal)).toContain(transaction.id)
        const unknown = 'ab'.repeat(32)
        const raw = Buffer.from(transaction.hex, 'hex')
        expect([...(await source.transactions([transaction.id, unknown], signal))].map(([txid]) => txid)).toEqual([transaction.id])
        expect(await source.spenders([`${unknown}:0`, outpoint], signal)).toEqual([undefined, transaction.id])
        const found = await source.find(transaction.id, signal)
        expect([Buffer.from(found!.raw), found!.at]).toEqual([raw, undefined])
        const hash = await bitcoin.mineOnly([transaction.id])
        expect((await source.find(transaction.id, signal))!.at).toEqual({ hash, height: await bitcoin.height() })
        const [transfer] = (await bitcoinFeed(config, source).lookUp(transaction.id, signal))!
        expect(transfer).toMatchObject({ at: { id: hash }, confirmations: 1, needed: 3 })
      })

      test('error: a transaction that is refused has a reason', async () => {
        const source = open()
        const [coin, other] = [bitcoin.takeCoin(), bitcoin.takeCoin()]
        const bytes = (made: { readonly hex: string }) => Buffer.from(made.hex, 'hex')
        await source.broadcast(bytes(bitcoin.make([coin], [[bitcoin.newAddress(), 800_000n]])), signal)
        const cheaper = bitcoin.make([coin], [[bitcoin.newAddress(), 900_000n]])
        expect(await source.broadcast(bytes(cheaper), signal)).toMatchObject({ why: 'fee_too_low' })
        const free = bitcoin.make([other], [[bitcoin.newAddress(), other.amount]])
        expect(await source.broadcast(bytes(free), signal)).toMatchObject({ why: 'fee_too_low' })
        const orphan = bitcoin.make([{ ...other, txid: 'ab'.repeat(32) }], [])
        expect(await source.broadcast(bytes(orphan), signal)).toMatchObject({ why: 'missing_inputs' })
        expect(await source.broadcast(Buffer.from([1]), signal)).toMatchObject({ why: 'other' })
      })

      test('error: another chain than the configured one is refused at the start', async () => {
        await open().check(signal)
        const main = { ...config, network: 'main' } as const
        const wrong = [
          bitcoindSource({ ...main, node: { url: bitcoin.node.url, auth: undefined } }),
          esploraSource({ ...main, node: esplora }),
        ]
        for (const source of wrong) await expect(source.check(signal)).rejects.toMatchObject({ name: 'ChainMisconfigured' })
      })
    })

  test('behavior: fees come from the node or from Esplora, and only Esplora knows balances', async () => {
    const [node, server] = sources.map(([, open]) => open())
    expect(await node!.feeRates(signal)).toEqual({ usual: undefined, least: 1_000n })
    expect(await server!.feeRates(signal)).toEqual({ usual: 12_250n, least: 1_000n })
    expect([node!.balance, await server!.balance!(bitcoin.newAddress(), signal)]).toEqual([undefined, 5_000n])
  })

  const lying = () => bitcoindSource({ ...config, node: { url: proxy.url, auth: undefined } })

  test.for([
    ['other bytes', (raw: Buffer) => Buffer.from(raw.map((byte, i) => (i === 0 ? byte ^ 1 : byte)))],
    ['another merkle root', (raw: Buffer) => Buffer.from(raw.map((byte, i) => (i === raw.length - 1 ? byte ^ 1 : byte)))],
    ['nothing', () => Buffer.alloc(0)],
  ] as const)('error: a block of %s is not read', async ([, change]) => {
    const transaction = bitcoin.make([bitcoin.takeCoin()], [[bitcoin.newAddress(), 900_000n]])
    await bitcoin.mineOnly([transaction.hex])
    const end = proxy.become(async ({ method, params }, ask) =>
      method === 'getblock' ? answer(change(Buffer.from(String(await ask(method, ...params)), 'hex')).toString('hex')) : undefined,
    )
    const feed = bitcoinFeed(config, lying())
    await expect(feed.lookUp(transaction.id, signal)).rejects.toMatchObject({ name: 'ChainUnavailable', code: 'chain_inconsistent' })
    expect(end()).toBeGreaterThan(0)
    expect(await feed.lookUp(transaction.id, signal)).toHaveLength(1)
  })

  test('error: a header, a transaction and an answer that are not what was asked for are refused', async () => {
    const source = lying()
    const head = await source.head(signal)
    const end = proxy.become(async ({ method }, ask) => {
      if (method === 'getblockheader') return answer(await ask('getblockheader', head.parentHash, false))
      if (method === 'getrawtransaction') return answer('00')
      return method === 'getrawmempool' ? answer(['../etc']) : undefined
    })
    await expect(source.head(signal)).rejects.toMatchObject({ code: 'chain_inconsistent' })
    await expect(source.waiting(signal)).rejects.toMatchObject({ code: 'chain_unavailable' })
    expect(await source.transactions(['ab'.repeat(32)], signal)).toEqual(new Map())
    end()
  })

  test('error: a silent node is unavailable after the time-out, also if memory is collected meanwhile', async () => {
    const source = bitcoindSource({ ...config, timeoutMs: 300, node: { url: proxy.url, auth: undefined } })
    const end = proxy.become('silent')
    await expect(whileCollecting(source.head(signal))).rejects.toMatchObject({ name: 'ChainUnavailable' })
    expect(end()).toBe(1)
  })

  test('error: no message contains credentials', async () => {
    const url = new URL(bitcoin.node.url)
    url.password = 'a-secret-password'
    for (const node of [
      { url: url.href, auth: undefined },
      { url: url.origin, auth: 'till:a-secret-password' },
    ]) {
      const error: unknown = await bitcoindSource({ ...config, node })
        .head(signal)
        .catch((caught: unknown) => caught)
      expect(error).toMatchObject({ name: 'ChainUnavailable', message: expect.stringContaining('refuses the credentials') })
      expect(JSON.stringify([String(error), error])).not.toContain('secret')
    }
  })

  test('behavior: a node that failed goes to the end, and two nodes are compared by the hash of a block', async () => {
    const nodes = [
      { kind: 'bitcoind', url: proxy.url, auth: undefined },
      { kind: 'esplora', url: esplora.url },
    ] as const
    const { source, compareNodes } = bitcoinSources({ ...config, nodes })
    await source.check(signal)
    const head = await source.head(signal)
    const mined = [
      { txHash: 'a', height: head.number, blockHash: head.hash },
      { txHash: 'b', height: head.number, blockHash: 'ab'.repeat(32) },
      { txHash: 'c', height: head.number + 1, blockHash: 'ab'.repeat(32) },
    ]
    expect(await compareNodes!(mined, signal)).toEqual({ nodes: 2, answers: ['agrees', 'differs', 'behind'] })
    const end = proxy.become('failing')
    await expect(source.head(signal)).rejects.toMatchObject({ name: 'ChainUnavailable' })
    expect(await source.head(signal)).toEqual(head)
    expect(await compareNodes!(mined, signal)).toMatchObject({ nodes: 1 })
    await source.check(signal)
    end()
    expect(bitcoinSources({ ...config, nodes: [nodes[0]] }).compareNodes).toBeUndefined()
  })
}
