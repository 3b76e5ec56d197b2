import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, describe, expect, test } from 'vitest'
import { headerCall, priorityCall } from '../../server/chains/evm/rpc-calls.ts'
import { createEvmChain } from '../../server/chains/evm/create-evm-chain.ts'
import { createRpc } from '../../server/chains/evm/rpc.ts'
import { alice, signal, startTestChain } from './support.ts'

interface Call {
  readonly id: number
  readonly method: string
  readonly params: readonly never[]
}
type Answer = { result: unknown } | { error: { code: number; message: string } }

const stops: (() => unknown)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})

/** Starts a node that answers each call with `answer`. A call whose answer is undefined is never answered. */
async function node(answer: (call: Call) => Answer | undefined | Promise<Answer>, raw?: { status: number; body: string }): Promise<string> {
  const server: Server = createServer(async (request, response) => {
    const body: Call | Call[] = JSON.parse(await text(request))
    if (raw) return response.writeHead(raw.status).end(raw.body)
    const answers: object[] = []
    for (const call of [body].flat()) answers.push({ jsonrpc: '2.0', id: call.id, ...(await answer(call)) })
    if (answers.some((each) => !('result' in each) && !('error' in each))) return
    response.setHeader('content-type', 'application/json').end(JSON.stringify(Array.isArray(body) ? answers.toReversed() : answers[0]))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  stops.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Starts a proxy that changes some answers of the node at `url`. */
async function before(url: string, change: (call: Call, answer: () => Promise<Answer>) => Promise<Answer>): Promise<string> {
  const forward = async (call: Call) => {
    const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(call) })
    return (await response.json()) as Answer
  }
  return node((call) => change(call, () => forward(call)))
}

describe('rpc', () => {
  test('behavior: matches responses by id, in whatever order they arrive', async () => {
    const rpc = createRpc(1, [await node(({ id }) => ({ result: `0x${id.toString(16)}` }))])
    expect(await rpc.read(signal, priorityCall(), priorityCall(), priorityCall())).toEqual([0n, 1n, 2n])
  })

  test.each([
    ['an error status', { status: 503, body: 'down for repairs' }],
    ['too many requests', { status: 429, body: '{}' }],
    ['something that is not JSON', { status: 200, body: '<html>' }],
    ['something that is not JSON-RPC', { status: 200, body: '{"hello":1}' }],
  ])('error: %s is ChainUnavailable', async (_, raw) => {
    const rpc = createRpc(1, [await node(() => undefined, raw)])
    await expect(rpc.read(signal, priorityCall())).rejects.toMatchObject({
      name: 'ChainUnavailable',
      code: 'chain_unavailable',
      chainId: 1,
    })
  })

  test('error: a response of another shape is refused', async () => {
    const rpc = createRpc(1, [await node(() => ({ result: { number: 'one' } }))])
    await expect(rpc.read(signal, headerCall('latest'))).rejects.toThrow(/eth_getBlockByNumber does not match the JSON-RPC schema/)
  })

  test('error: a silent node times out, or the caller aborts first', async () => {
    const url = await node(() => undefined)
    await expect(createRpc(1, [url], 50).read(signal, priorityCall())).rejects.toMatchObject({ name: 'ChainUnavailable' })
    const leaving = new AbortController()
    const waiting = createRpc(1, [url], 60_000).read(leaving.signal, priorityCall())
    leaving.abort(new Error('enough'))
    await expect(waiting).rejects.toThrow('enough')
  })

  test('behavior: retries once, and only when the node closed the kept-alive connection', async () => {
    let requests = 0
    const server = createServer((request, response) => {
      request.resume().on('end', () => {
        if (++requests === 1) return response.end('{"id":0,"result":"0x1"}')
        // The second request reuses the first one's connection, which closes. The retry on a new connection succeeds.
        if (requests === 2) return request.socket.destroy()
        return response.end('{"id":0,"result":"0x3"}')
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    stops.push(() => server.close())
    const rpc = createRpc(1, [`http://127.0.0.1:${(server.address() as AddressInfo).port}`])
    expect(await rpc.read(signal, priorityCall())).toEqual([1n])
    expect(await rpc.read(signal, priorityCall())).toEqual([3n])
    server.closeAllConnections()
    server.close()
    await expect(rpc.read(signal, priorityCall())).rejects.toMatchObject({ name: 'ChainUnavailable' })
    expect(requests).toBe(3)
  })

  test('error: falls back to the next node', async () => {
    const rpc = createRpc(1, [await node(() => undefined, { status: 500, body: '' }), await node(() => ({ result: '0x7' }))])
    await expect(rpc.read(signal, priorityCall())).rejects.toThrow(/did not answer/)
    expect(await rpc.read(signal, priorityCall())).toEqual([7n])
  })

  test("behavior: returns the node's refusal as a value on request", async () => {
    const rpc = createRpc(1, [await node(() => ({ error: { code: 3, message: 'execution reverted' } }))])
    expect(await rpc.attempt(signal, priorityCall())).toMatchObject([{ error: { rpcCode: 3, reason: 'execution reverted' } }])
    await expect(rpc.read(signal, priorityCall())).rejects.toMatchObject({ name: 'ChainUnavailable', cause: { rpcCode: 3 } })
  })
})

describe('scanning through a faulty node', () => {
  async function setup() {
    const test = await startTestChain()
    stops.push(test.stop)
    const to = test.depositAddress('o')
    for (let i = 0; i < 12; i++) await test.sendToken(alice, i % 2 ? 'USDC' : 'DAI', to, 1n)
    const { number } = await test.chain.head(signal)
    return {
      test,
      from: number - 11,
      to: number,
      through: async (change: Parameters<typeof before>[1], config: object = {}) =>
        createEvmChain({ ...test.config, ...config, rpcUrls: [await before(test.anvil.rpcUrl, change)] }),
    }
  }

  test.each([
    { code: -32005, message: 'query returns more than 10000 results' },
    { code: -32602, message: 'eth_getLogs is limited to a 3 block range' },
    { code: -32000, message: 'Log response size exceeded.' },
  ])('behavior: halves a range that the node refuses: $message', async (error) => {
    const { from, to, through } = await setup()
    const sizes: number[] = []
    const chain = await through(async ({ method, params }, answer) => {
      if (method !== 'eth_getLogs') return answer()
      const { fromBlock, toBlock } = params[0]! as { fromBlock: string; toBlock: string }
      const size = Number(toBlock) - Number(fromBlock) + 1
      sizes.push(size)
      return size > 3 ? { error } : answer()
    })
    expect((await chain.scan(from, to, signal)).transfers).toHaveLength(12)
    expect(sizes).toEqual([12, 6, 3, 3, 6, 3, 3])
  })

  test('behavior: never requests more blocks at once than configured', async () => {
    const { from, to, through } = await setup()
    let requests = 0
    const chain = await through(
      async ({ method }, answer) => {
        if (method === 'eth_getLogs') requests++
        return answer()
      },
      { maxRange: 5 },
    )
    expect((await chain.scan(from, to, signal)).transfers).toHaveLength(12)
    expect(requests).toBe(3)
  })

  test('error: an outright refusal does not halve the range forever', async () => {
    const { from, to, through } = await setup()
    const chain = await through(async ({ method }, answer) =>
      method === 'eth_getLogs' ? { error: { code: -32601, message: 'no such method' } } : answer(),
    )
    await expect(chain.scan(from, to, signal)).rejects.toThrow(/no such method/)
  })

  test('error: logs of another history are rejected', async () => {
    const { from, to, through } = await setup()
    const chain = await through(async ({ method }, answer) => {
      const given = await answer()
      if (method !== 'eth_getLogs' || !('result' in given)) return given
      const [first, ...rest] = given.result as object[]
      return { result: [{ ...first, blockHash: `0x${'ee'.repeat(32)}` }, ...rest] }
    })
    await expect(chain.scan(from, to, signal)).rejects.toMatchObject({ code: 'chain_inconsistent' })
  })

  test('error: a node that answers for blocks it does not have loses nothing silently', async () => {
    const { from, to, through } = await setup()
    // One URL leads to a node with the blocks and to another one whose logs lag behind.
    let headers = 0
    const chain = await through(async ({ method, params }, answer) => {
      if (method === 'eth_getLogs') return { result: [] }
      if (method === 'eth_getBlockByNumber' && params[1] === (false as never) && ++headers > 0) return { result: null }
      return answer()
    })
    await expect(chain.scan(from, to, signal)).rejects.toMatchObject({ code: 'chain_inconsistent' })
  })

  test('error: a chain that changes between two reads is noticed', async () => {
    const { test, from, to, through } = await setup()
    let moved = false
    const chain = await through(async ({ method }, answer) => {
      if (method === 'eth_getLogs' && !moved) {
        moved = true
        await test.reorg(3)
      }
      return answer()
    })
    await expect(chain.scan(from, to, signal)).rejects.toMatchObject({ code: 'chain_inconsistent' })
    expect((await chain.scan(from, to, signal)).transfers).toHaveLength(9)
  })
})
