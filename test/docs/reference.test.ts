import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import * as z from 'zod/mini'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { groups } from '../../server/reference/groups.ts'
import { requests } from '../../server/reference/requests.ts'
import type { Endpoint } from '../../src/wire/endpoint.ts'
import { endpoints } from '../../src/wire/endpoints.ts'
import { violations } from '../support/browser/axe.ts'
import { useBrowser } from '../support/browser/browser.ts'
import { openShop } from '../support/service/checkout.ts'
import { complaints } from '../support/browser/merchant-page.ts'
import { startService, type Service } from '../support/service/service.ts'

/** The API reference must be complete and accessible, and its examples must work. */

const table: Readonly<Record<string, Endpoint>> = endpoints
let service: Service
const browser = useBrowser()
beforeAll(async () => {
  service = await startService({ env: { RATE_PER_SECOND: '1000', RATE_BURST: '1000' } })
})
afterAll(() => service?.close())
async function open(options: Parameters<typeof browser.context>[0]) {
  const page = await (await browser.context(options)).newPage()
  const wrong = complaints(page)
  await page.goto(`${service.payUrl}/reference`)
  return { page, wrong }
}

test('default: every operation is documented once, with its kind of key', async () => {
  const named = groups.flatMap(({ operations }) => operations)
  expect([...named].sort()).toEqual([...Object.keys(endpoints), 'paymentMethodsV2'].sort())
  const { page } = await open({ javaScriptEnabled: false })
  for (const id of named) expect(await page.locator(`article#${id} .auth`).count(), id).toBe(1)
  expect(await page.locator('#createWebhook .auth').textContent()).toBe('Signed')
  const dead = await page
    .locator('main a[href^="#"], nav a[href^="#"]')
    .evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''))
  const ids = new Set(await page.locator('[id]').evaluateAll((all) => all.map((element) => `#${element.id}`)))
  expect(dead.filter((href) => !ids.has(href))).toEqual([])
})

test.each([
  ['a phone in the dark', { viewport: { width: 360, height: 740 }, colorScheme: 'dark' }],
  ['a desktop by day', { viewport: { width: 1280, height: 800 }, colorScheme: 'light' }],
] as const)('behavior: on %s nothing is cut off, nothing is blocked, axe finds nothing', async (_, options) => {
  const { page, wrong } = await open(options)
  const tooWide = await page
    .locator('main *')
    .evaluateAll((all) =>
      all
        .filter((element) => element.getBoundingClientRect().right > innerWidth && !element.closest('pre'))
        .map((element) => element.outerHTML.slice(0, 200)),
    )
  expect(tooWide).toEqual([])
  expect(await violations(page)).toEqual([])
  expect(wrong).toEqual([])
})

test('behavior: a conditional request gets 304 without a body', async () => {
  const first = await fetch(`${service.payUrl}/reference`)
  const etag = first.headers.get('etag') ?? ''
  expect(first.headers.get('content-security-policy')).not.toMatch(/unsafe|script-src/)
  const again = await fetch(`${service.payUrl}/reference`, { headers: { 'if-none-match': etag } })
  expect([again.status, await again.text()]).toEqual([304, ''])
  expect((await fetch(`${service.payUrl}/reference`, { headers: { 'if-none-match': 'W/"another"' } })).status).toBe(200)
})

test.each(Object.entries(table))('behavior: the example request of %s fits its schema', (id, { body }) => {
  const given = (requests as Readonly<Record<string, object>>)[id]
  expect(given === undefined).toBe(body === undefined)
  if (body) expect(z.safeParse(body, given).error?.issues).toBeUndefined()
})

test('behavior: the service accepts every request copied from the page', async () => {
  const { page } = await open({ javaScriptEnabled: false })
  const shop = await openShop(service)
  const usdc = shop.token(8453, 'USDC') ?? ''
  for (const id of Object.keys(table)) {
    const text = (await page.locator(`article#${id} pre`).first().textContent()) ?? ''
    const silent = text
      .replaceAll('0x833589fcd6edb6e08f4c7c32d4f71b54bda02913', usdc)
      .replace(/^curl/m, "curl -sS -o /dev/null -w '%{http_code}'")
    const env = { PATH: process.env.PATH, KEY: 'pk_test_till', SECRET: 'sk_test_till' }
    const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', silent], { env: env as NodeJS.ProcessEnv })
    const { status, errors = [] } = table[id]!
    // The example's ids may not exist or may belong to other keys. Any other error is a mistake in the example.
    expect([status, 404, 402, ...(errors.includes(403) ? [403] : [])], `${id}: ${stdout}\n${text}`).toContain(Number(stdout))
  }
})
