import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { slotCall } from '../../../server/chains/solana/calls.ts'
import { rpcClient } from '../../../server/chains/solana/rpc-client.ts'

const asked: string[] = []
const server = createServer((request, response) => {
  asked.push(request.url ?? '')
  response.writeHead(200, { 'content-type': 'application/json' }).end('[{"jsonrpc":"2.0","id":0,"result":5}]')
})
beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterAll(() => server.close())

test('behavior: a provider’s key is sent, in the path or behind it', async () => {
  const { port } = server.address() as AddressInfo
  for (const path of ['/?api-key=secret', '/v2/secret', '/rpc?api-key=secret']) {
    const rpc = rpcClient({ chainId: 30_000_000_000_001, urls: [`http://127.0.0.1:${port}${path}`], timeoutMs: 10_000 })
    expect(await rpc.read(AbortSignal.timeout(60_000), slotCall('confirmed'))).toEqual([5])
  }
  expect(asked).toEqual(['/?api-key=secret', '/v2/secret', '/rpc?api-key=secret'])
})
