import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mkdtempSync, rmSync } from 'node:fs'
import { json } from 'node:stream/consumers'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { createGuard, type GuardParts } from '../../server/guard/create-guard.ts'
import { databaseLedger } from '../../server/guard/database-ledger.ts'
import { fileLedger } from '../../server/guard/file-ledger.ts'
import { guardServer } from '../../server/guard/guard-server.ts'
import { typedDataSigner } from '../../server/guard/move-signer.ts'
import { remoteGuard } from '../../server/guard/remote-guard.ts'
import { listen } from '../../server/http/listen.ts'
import { guardContract } from '../contracts/guard.ts'
import { createDatabase } from '../support/service/database.ts'
import { guardKey, partsWith, payer, signerOf, surplus } from './support.ts'

const token = 'a-token-that-is-long-enough-0123456789'
const url = ({ port }: { port: number }) => `http://127.0.0.1:${port}`

guardContract('key in the service', async () => {
  const database = await createDatabase()
  return { guard: createGuard(partsWith(databaseLedger(database.sql))), stop: database.drop }
})

/** The lines of its log are returned too. */
async function startProcess(more: Partial<GuardParts> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'till-guard-'))
  const ledger = await fileLedger(join(folder, 'moves.jsonl'))
  const lines: string[] = []
  const log = pino({ level: 'info' }, { write: (line) => lines.push(line) })
  const server = await listen(guardServer({ guard: createGuard(partsWith(ledger, more)), token, log }), { host: '127.0.0.1', port: 0 })
  return {
    url: url(server),
    guard: remoteGuard(url(server), token, signerOf.address),
    lines,
    stop: async () => {
      server.server.closeAllConnections()
      await server.close()
      await ledger.close()
      rmSync(folder, { recursive: true })
    },
  }
}

guardContract('process, over HTTP', () => startProcess())

/** Signs typed data as web3signer does. */
async function startKeyService(key = guardKey, last: (signature: string) => string = (signature) => signature) {
  const account = privateKeyToAccount(key)
  const server = createServer(async (request, response) => {
    const { id, method, params } = (await json(request)) as { id: number; method: string; params: [string, string] }
    expect(method).toBe('eth_signTypedData_v4')
    const result = last(await account.signTypedData(JSON.parse(params[1])))
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: url(server.address() as AddressInfo),
    stop: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

guardContract('process with its key in another service', async () => {
  const keys = await startKeyService()
  const running = await startProcess({ signer: typedDataSigner(keys.url, signerOf.address) })
  return { guard: running.guard, stop: () => Promise.all([running.stop(), keys.stop()]).then(() => undefined) }
})

describe('key in another service', () => {
  const signal = () => AbortSignal.timeout(60_000)

  test('behavior: a last byte of 0 or 1 becomes what the factory takes', async () => {
    const keys = await startKeyService(guardKey, (signature) => signature.slice(0, -2) + (signature.endsWith('1b') ? '00' : '01'))
    const signer = typedDataSigner(keys.url, signerOf.address)
    expect(await signer.sign(surplus(), signal())).toBe(await signerOf.sign(surplus(), signal()))
    await keys.stop()
  })

  test('error: a signature by another key is not passed on', async () => {
    const keys = await startKeyService(`0x${'62'.repeat(32)}`)
    await expect(typedDataSigner(keys.url, signerOf.address).sign(surplus(), signal())).rejects.toMatchObject({ code: 'guard_signer' })
    await keys.stop()
  })
})

describe('process', () => {
  const signal = () => AbortSignal.timeout(60_000)

  test('behavior: says that it is alive, and its log names no payer', async () => {
    const running = await startProcess()
    expect(await (await fetch(`${running.url}/health`)).json()).toEqual({ status: 'ok', address: signerOf.address })
    await running.guard.sign(surplus(), signal())
    await expect(running.guard.sign(surplus({ nonce: 2n, legs: [] }), signal())).rejects.toThrow('never signs')
    expect(running.lines.map((line) => JSON.parse(line).msg)).toEqual(['signed a move', 'refused a move'])
    for (const line of running.lines) expect(line).not.toContain(payer.slice(2))
    await running.stop()
  })

  test.each<[string, number, RequestInit & { path?: string }]>([
    ['no token', 401, { method: 'POST' }],
    ['a wrong token', 401, { method: 'POST', headers: { authorization: `Bearer ${token}0` } }],
    [
      'a body that is not JSON',
      400,
      { method: 'POST', body: '{', headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' } },
    ],
    [
      'numbers that are not strings',
      400,
      {
        method: 'POST',
        body: '{"chain_id":8453,"move":{"nonce":1}}',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      },
    ],
    [
      'a body that is too large',
      413,
      { method: 'POST', body: 'x'.repeat(70_000), headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' } },
    ],
    ['a form', 415, { method: 'POST', body: 'a=1', headers: { authorization: `Bearer ${token}` } }],
    ['another method', 405, { method: 'GET' }],
    ['another path', 404, { path: '/keys' }],
  ])('error: %s gets %i', async (_, status, { path = '/sign', ...init }) => {
    const running = await startProcess()
    const response = await fetch(running.url + path, init)
    expect(response.status).toBe(status)
    expect(await response.json()).toMatchObject({ code: expect.any(String), message: expect.any(String) })
    await running.stop()
  })

  test('error: a guard that does not answer, or answers as another, has not refused', async () => {
    const running = await startProcess()
    const other = remoteGuard(running.url, token, `0x${'11'.repeat(20)}`)
    await expect(other.sign(surplus(), signal())).rejects.toMatchObject({ code: 'guard_signer' })
    const stranger = remoteGuard(running.url, `${token}0`, signerOf.address)
    await expect(stranger.sign(surplus(), signal())).rejects.toMatchObject({ code: 'guard_unavailable' })
    await running.stop()
    await expect(running.guard.sign(surplus(), signal())).rejects.toMatchObject({ code: 'guard_unavailable' })
  })
})
