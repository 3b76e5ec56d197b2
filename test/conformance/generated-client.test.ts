import { execFile } from 'node:child_process'
import { copyFileSync, mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import openapiTS, { astToString } from 'openapi-typescript'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Shop, openShop } from '../support/service/checkout.ts'
import { untilStatus } from '../support/orders/payments.ts'
import { root } from '../support/root.ts'
import { type Service, startService } from '../support/service/service.ts'

/** A client generated from the running service's OpenAPI description must compile strictly and work. */

const run = promisify(execFile)
let service: Service
let shop: Shop
let project: string

beforeAll(async () => {
  service = await startService()
  shop = await openShop(service)
  // The folder is inside the repository so that packages resolve by walking up.
  mkdirSync(join(root, '.cache'), { recursive: true })
  project = mkdtempSync(join(root, '.cache/generated-'))
  const description = await (await fetch(`${service.baseUrl}/openapi.json`)).text()
  writeFileSync(join(project, 'api.ts'), astToString(await openapiTS(description)))
  copyFileSync(join(root, 'test/conformance/generated/shop.ts'), join(project, 'shop.ts'))
})
afterAll(async () => {
  await service?.close()
  if (project) rmSync(project, { recursive: true, force: true })
})

test('default: the generated client compiles strictly, together with a merchant that uses it', async () => {
  const compilerOptions = {
    strict: true,
    noUncheckedIndexedAccess: true,
    noEmit: true,
    target: 'es2022',
    lib: ['es2023', 'dom', 'dom.iterable'],
    types: ['node'],
    module: 'esnext',
    moduleResolution: 'bundler',
    allowImportingTsExtensions: true,
    verbatimModuleSyntax: true,
    skipLibCheck: true,
  }
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['api.ts', 'shop.ts'] }))
  const complaints = await run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', project]).then(
    () => '',
    ({ stdout }: { stdout: string }) => stdout,
  )
  expect(complaints).toBe('')
})

async function merchant(...args: string[]): Promise<unknown> {
  const { apiKey, secret } = shop.client.keys
  const env = { ...process.env, BASE_URL: service.baseUrl, API_KEY: apiKey, API_SECRET: secret }
  const { stdout } = await run(process.execPath, ['--import', 'tsx', join(project, 'shop.ts'), ...args], { cwd: root, env })
  return JSON.parse(stdout)
}

test('behavior: it makes an order, reads the payment instructions, and sees the payment', async () => {
  const sold = (await merchant('sell')) as { id: string; to: string; amount: string; currency: { address: string; chain_id: number } }
  expect(sold).toMatchObject({ status: 'PENDING', reference: 'NW-20418', methods: expect.arrayContaining(['DEPOSIT_ADDRESS']) })
  await shop.payer(sold.currency.chain_id).pay(sold.currency.address, sold.to, BigInt(sold.amount))
  await untilStatus(shop.client, sold.id, 'COMPLETED')
  expect(await merchant('read', sold.id)).toEqual({ status: 'COMPLETED', received: '42.5', newest: sold.id })
})

test('error: an error response is typed and names the member', async () => {
  expect(await merchant('mistake')).toEqual({
    status: 400,
    code: 400,
    details: { issues: [{ path: 'id', message: 'must be an id as this service gave it' }] },
  })
})
