import { once } from 'node:events'
import { createServer } from 'node:http'
import * as z from 'zod'
import { BitcoinRpcError, type BitcoinRpc } from '../../../local/bitcoin/bitcoin-rpc.ts'

export interface EsploraServer {
  readonly url: string
  close(): Promise<void>
}

type Response = { readonly status: number; readonly body: string | Buffer }

const Hash = z.string().length(64)
const Unspent = z.object({ confirmations: z.number() }).nullable()
const Height = z.object({ height: z.number() })

/** Serves a node's chain as Esplora does. It finds a mined transaction only in the newest blocks, since the node has no index. */
export async function startEsploraServer(rpc: BitcoinRpc): Promise<EsploraServer> {
  const call = <T>(schema: z.ZodType<T>, method: string, ...params: readonly unknown[]) => rpc.call(method, params, schema)
  const hex = async (method: string, ...params: readonly unknown[]) => Buffer.from(await call(z.string(), method, ...params), 'hex')

  async function blockOf(txid: string): Promise<string | undefined> {
    for (let hash = await call(Hash, 'getbestblockhash'), depth = 0; depth < 5; depth++) {
      const block = await call(z.object({ tx: z.array(Hash), previousblockhash: Hash.optional() }), 'getblock', hash, 1)
      if (block.tx.includes(txid)) return hash
      if (!block.previousblockhash) return undefined
      hash = block.previousblockhash
    }
    return undefined
  }

  async function statusOf(txid: string): Promise<object | undefined> {
    if ((await call(z.array(Hash), 'getrawmempool')).includes(txid)) return { confirmed: false }
    const hash = await blockOf(txid)
    if (hash === undefined) return undefined
    return { confirmed: true, block_hash: hash, block_height: (await call(Height, 'getblockheader', hash)).height }
  }

  async function respond(method: string, path: string, body: string): Promise<Response> {
    const text = (value: unknown): Response => ({ status: 200, body: String(value) })
    const json = (value: unknown): Response => ({ status: 200, body: JSON.stringify(value) })
    const bytes = (value: Buffer): Response => ({ status: 200, body: value })
    const missing: Response = { status: 404, body: 'not found' }
    const [, room, id = '', what, index] = path.split('/')
    if (method === 'POST') {
      try {
        return text(await call(Hash, 'sendrawtransaction', body, 0))
      } catch (error) {
        if (!(error instanceof BitcoinRpcError)) throw error
        const problem = JSON.stringify({ code: error.code, message: error.message })
        return { status: 400, body: `sendrawtransaction RPC error: ${problem}` }
      }
    }
    if (path === '/blocks/tip/height') return text(await call(z.number(), 'getblockcount'))
    if (path === '/mempool/txids') return json(await call(z.array(Hash), 'getrawmempool'))
    if (path === '/fee-estimates') return json({ '1': 20.5, '3': 12.25, '144': 1 })
    if (room === 'address') return json({ chain_stats: { funded_txo_sum: 7_000, spent_txo_sum: 2_000 } })
    if (room === 'block-height') return text(await call(Hash, 'getblockhash', Number(id)))
    if (room === 'block' && what === 'header') return text(await call(z.string(), 'getblockheader', id, false))
    if (room === 'block' && what === 'raw') return bytes(await hex('getblock', id, 0))
    if (room !== 'tx') return missing
    const status = await statusOf(id)
    if (what === 'status') return status ? json(status) : missing
    if (what === 'raw') {
      const block = await blockOf(id)
      return status ? bytes(await hex('getrawtransaction', id, false, ...(block ? [block] : []))) : missing
    }
    const Spenders = z.array(z.object({ spendingtxid: Hash.optional() }))
    const [spender] = await call(Spenders, 'gettxspendingprevout', [{ txid: id, vout: Number(index) }])
    if (spender?.spendingtxid !== undefined) return json({ spent: true, txid: spender.spendingtxid, vin: 0, status: { confirmed: false } })
    return json({ spent: (await call(Unspent, 'gettxout', id, Number(index))) === null })
  }

  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const path = (request.url ?? '').replace(/^\/api/, '')
      respond(request.method ?? '', path, Buffer.concat(chunks).toString('utf8')).then(
        ({ status, body }) => response.writeHead(status).end(body),
        (error: unknown) => response.writeHead(error instanceof BitcoinRpcError ? 404 : 500).end(String(error)),
      )
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = z.object({ port: z.number() }).parse(server.address())
  return {
    url: `http://127.0.0.1:${port}/api`,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
