import { cpSync, mkdtempSync, readFileSync, rmSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as btc from '@scure/btc-signer'
import { RawTx } from '@scure/btc-signer/script.js'
import { beforeEach, expect, test } from 'vitest'
import * as z from 'zod'
import { createBitcoinRpc } from '../../local/bitcoin/bitcoin-rpc.ts'
import { createFaucet } from '../../local/bitcoin/faucet.ts'
import { sourceOf } from '../../local/bitcoin/find-bitcoind.ts'
import { openJournal } from '../../local/journal.ts'
import { regtest } from '../../local/bitcoin/script.ts'
import { startBitcoinNode, type RunningNode } from '../../local/bitcoin/start-bitcoin-node.ts'
import { keyHashAccount, taprootAccount } from '../support/wallets/bitcoin-wallet.ts'

let folder: string
const running: RunningNode[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'till-bitcoin-'))
  return async () => {
    await Promise.all(running.splice(0).map((node) => node.stop()))
    rmSync(folder, { recursive: true, force: true })
  }
})

function read(file: string): { records: string[]; journal: ReturnType<typeof openJournal> } {
  const records: string[] = []
  const journal = openJournal(file, (record) => records.push(Buffer.from(record).toString()))
  return { records, journal }
}

test('behavior: a torn last record is dropped, wherever it is torn, and later records follow the whole ones', () => {
  const file = join(folder, 'journal')
  const { journal } = read(file)
  for (const record of ['one', 'two']) journal.append(Buffer.from(record))
  const whole = readFileSync(file).length
  journal.append(Buffer.from('three'))
  journal.close()
  const size = readFileSync(file).length
  for (let end = size - 1; end > whole; end--) {
    truncateSync(file, end)
    const torn = read(file)
    expect(torn.records).toEqual(['one', 'two'])
    torn.journal.append(Buffer.from('four'))
    torn.journal.close()
    const again = read(file)
    expect(again.records).toEqual(['one', 'two', 'four'])
    again.journal.append(Buffer.from('filling up to the size'))
    again.journal.close()
  }
})

async function start(path: string) {
  const node = await startBitcoinNode({ folder: path })
  running.push(node)
  const rpc = createBitcoinRpc(node.url)
  return { node, rpc, faucet: await createFaucet(rpc), tip: () => rpc.call('getbestblockhash', [], z.string()) }
}

test('behavior: after a kill every whole block is there, with what was invalidated', async () => {
  const { faucet, rpc, tip } = await start(join(folder, 'killed'))
  const [, second, third] = await faucet.mine(3)
  await rpc.call('invalidateblock', [third], z.null())
  // What a kill leaves is what is in the files at this moment.
  cpSync(join(folder, 'killed'), join(folder, 'copy'), { recursive: true })
  const copy = await start(join(folder, 'copy'))
  expect(await copy.tip()).toBe(second)
  await copy.rpc.call('reconsiderblock', [third], z.null())
  expect(await copy.tip()).toBe(third)
  expect(await tip()).toBe(second)
})

test('behavior: the call "stop" stops the node once it is answered, and the mempool is kept with its times', async () => {
  const { node, rpc, faucet } = await start(folder)
  await rpc.call('setmocktime', [1_900_000_000], z.null())
  const txid = await faucet.pay(keyHashAccount('a').address, 100_000n)
  expect(await rpc.call('stop', [], z.string())).toMatch(/stopping/)
  await node.stopped
  const again = await start(folder)
  const entry = await again.rpc.call('getmempoolentry', [txid], z.object({ time: z.number() }))
  expect(entry).toEqual({ time: 1_900_000_000 })
})

test('error: a port that is taken is refused, and the folder is free again', async () => {
  const { node } = await start(folder)
  const port = Number(new URL(node.url).port)
  const other = join(folder, 'other')
  await expect(startBitcoinNode({ folder: other, port })).rejects.toMatchObject({ code: 'EADDRINUSE' })
  await start(other)
})

test('error: a coin that this node cannot verify is not spent, and neither is one by a script of its key', async () => {
  const { rpc, faucet } = await start(folder)
  const refusal = async (address: string, input: { scriptSig?: Uint8Array; witness?: Uint8Array[] }) => {
    const txid = await faucet.pay(address, 100_000n)
    const Paid = z.object({ vout: z.array(z.object({ scriptPubKey: z.object({ address: z.string().optional() }) })) })
    const { vout } = await rpc.call('getrawtransaction', [txid, true], Paid)
    const index = vout.findIndex(({ scriptPubKey }) => scriptPubKey.address === address)
    const raw = RawTx.encode({
      version: 2,
      segwitFlag: input.witness !== undefined,
      inputs: [{ txid: Buffer.from(txid, 'hex'), index, finalScriptSig: input.scriptSig ?? new Uint8Array(), sequence: 0xffffffff }],
      outputs: [{ amount: 90_000n, script: keyHashAccount('b').script }],
      witnesses: input.witness && [input.witness],
      lockTime: 0,
    })
    return rpc.call('sendrawtransaction', [Buffer.from(raw).toString('hex')], z.string()).then(undefined, (error: unknown) => error)
  }
  const legacy = btc.Address(regtest).encode({ type: 'pkh', hash: new Uint8Array(20).fill(7) })
  const nested = btc.Address(regtest).encode({ type: 'sh', hash: new Uint8Array(20).fill(7) })
  const cannot = (what: string) => ({
    code: -26,
    message: expect.stringContaining(`this node can spend P2WPKH, and P2TR by its key, and not ${what}`),
  })
  expect(await refusal(legacy, { scriptSig: new Uint8Array([1, 1]) })).toMatchObject(cannot('pubkeyhash'))
  expect(await refusal(nested, { scriptSig: new Uint8Array([1, 1]) })).toMatchObject(cannot('scripthash'))
  const script = [new Uint8Array([0x51]), new Uint8Array(33).fill(0xc0)]
  expect(await refusal(taprootAccount('c').address, { witness: script })).toMatchObject(cannot('by a script'))
  const unsigned = { code: -26, message: expect.stringContaining('Witness requires empty scriptSig') }
  expect(await refusal(keyHashAccount('d').address, { scriptSig: new Uint8Array([1, 1]) })).toMatchObject(unsigned)
})

test('error: wrong credentials, other HTTP methods and broken JSON are refused as by a real node', async () => {
  const { node } = await start(folder)
  const { origin, username, password } = new URL(node.url)
  const ask = (body: string, credentials = `${username}:${password}`) =>
    fetch(origin, { method: 'POST', headers: { authorization: `Basic ${btoa(credentials)}` }, body })
  expect((await fetch(origin)).status).toBe(405)
  expect((await ask('{}', 'till:wrong')).status).toBe(401)
  const refused: [body: string, status: number, code: number][] = [
    ['{', 500, -32700],
    ['"x"', 500, -32700],
    ['{}', 400, -32600],
    ['{"method":"nope","id":1}', 404, -32601],
    ['{"method":"getblockhash","params":{"heigt":1},"id":1}', 500, -8],
    ['{"method":"getblockhash","params":5,"id":1}', 400, -32600],
    ['{"jsonrpc":"2.0","method":"nope","id":1}', 200, -32601],
  ]
  for (const [body, status, code] of refused) {
    const response = await ask(body)
    expect([body, response.status, await response.json()]).toMatchObject([body, status, { error: { code } }])
  }
  expect((await ask('{"jsonrpc":"2.0","method":"getblockcount"}')).status).toBe(204)
  const batch = await ask('[{"method":"getblockhash","params":{"height":0},"id":"a"},{"jsonrpc":"2.0","method":"uptime","id":2}]')
  expect(await batch.json()).toEqual([
    { result: '0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206', error: null, id: 'a' },
    { jsonrpc: '2.0', error: { code: -32601, message: 'Method not found' }, id: 2 },
  ])
})

test('default: a node that runs comes first, then a program, then ours', () => {
  const url = 'http://user:password@127.0.0.1:18443'
  expect(sourceOf({ TILL_BITCOIND_RPC: url, TILL_BITCOIND: '/opt/bitcoind' })).toEqual({ is: 'running', url })
  expect(sourceOf({ TILL_BITCOIND: '/opt/bitcoind', PATH: folder })).toEqual({ is: 'program', program: '/opt/bitcoind' })
  expect(sourceOf({ PATH: folder })).toEqual({ is: 'ours' })
  cpSync(process.execPath, join(folder, 'bitcoind'))
  expect(sourceOf({ PATH: `/nowhere:${folder}` })).toEqual({ is: 'program', program: join(folder, 'bitcoind') })
})
