import { spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Browser, Page } from 'playwright-core'
import { removePostgres } from '../local/postgres.ts'
import { createPayer } from '../test/support/wallets/payer.ts'
import { imitatePhone, openBrowser } from './browser.ts'
import { type Figure, percentile } from './figures.ts'
import { serve } from './http.ts'
import { chunkFigures } from './wallet-bytes.ts'

const payments = 20
const lists = 7

/** Measures wallet payments in local mode, with its own chain and test wallet, in a real browser. */
export async function walletFigures(): Promise<Figure[]> {
  const service = await startLocal()
  const browser = await openBrowser()
  try {
    const paid: number[] = []
    const plain: number[] = []
    await payOnce(browser, service)
    // Both are interleaved, so that other load on this machine affects them alike.
    for (let round = 0; round < payments; round++) {
      plain.push(await plainTransfer(service))
      paid.push(await payOnce(browser, service))
    }
    const by = 'a bare transfer on the same chain, until its receipt'
    const opened = await listFigure(browser, service)
    return [
      { what: 'signature to "received" on the screen, p50', unit: 'ms', till: percentile(paid, 0.5), plain: percentile(plain, 0.5), by },
      {
        what: '… p95',
        unit: 'ms',
        till: percentile(paid, 0.95),
        plain: percentile(plain, 0.95),
        by,
        budget: 1_000,
      },
      opened,
      ...(await chunkFigures()),
    ]
  } finally {
    await browser.stop()
    await service.stop()
  }
}

interface Local {
  readonly payUrl: string
  readonly rpcUrl: string
  readonly usdcAddress: string
  readonly keys: readonly string[]
  readonly apiKey: string
  stop(): Promise<void>
}

async function startLocal(): Promise<Local> {
  const folder = mkdtempSync(join(tmpdir(), 'till-bench-wallet-'))
  chmodSync(folder, 0o711)
  const child = spawn(process.execPath, ['--enable-source-maps', 'dist/server/main.js'], {
    env: { ...process.env, NODE_ENV: 'production', TILL_DATA: folder, PORT: '0', LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const payUrl = await Promise.race([
    new Promise<string>((resolve) =>
      createInterface(child.stdout).on('line', (text) => {
        const url = /^ready (\S+)/.exec(text)?.[1]
        if (url) resolve(url)
      }),
    ),
    ended.then(() => Promise.reject(new Error('The service did not start.'))),
  ])
  const fixtures = (await (await fetch(`${payUrl}/test/fixtures`)).json()) as {
    organization: { api_key: string }
    chains: { chain_id: number; rpc_url: string; tokens: { symbol: string; address: string }[] }[]
    accounts: { private_key: string }[]
  }
  const base = fixtures.chains.find(({ chain_id }) => chain_id === 8453)!
  return {
    payUrl,
    rpcUrl: base.rpc_url,
    usdcAddress: base.tokens.find(({ symbol }) => symbol === 'USDC')!.address,
    keys: fixtures.accounts.map(({ private_key }) => private_key),
    apiKey: fixtures.organization.api_key,
    stop: async () => {
      child.kill('SIGTERM')
      await ended
      await removePostgres(join(folder, 'postgres'))
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function newOrder({ payUrl, apiKey, usdcAddress }: Local): Promise<string> {
  const answer = await fetch(`${payUrl}/v3/orders`, {
    method: 'POST',
    headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({
      mode: 'DEPOSIT',
      amount: '1',
      currency: { chain_id: 8453, address: usdcAddress },
      recipient: '0x000000000000000000000000000000000000bEEF',
    }),
  })
  if (!answer.ok) throw new Error(await answer.text())
  const { id } = (await answer.json()) as { id: string }
  return `${payUrl}/pay/${id}`
}

/** Marks every tap, the first frame that shows a wallet to choose, and the first frame that says that the money was seen. */
const marks = `
  addEventListener('click', () => performance.mark('tap'), true)
  const seen = {
    wallets: () => /Test wallet/.test(document.querySelector('main li button.row')?.textContent ?? ''),
    received: () => /^(Payment detected|Paid)/.test(document.querySelector('main h1')?.textContent ?? ''),
  }
  const look = () => {
    for (const name in seen) if (!performance.getEntriesByName(name).length && seen[name]()) performance.mark(name)
    requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
`

const toWallets = (page: Page) => page.getByRole('link', { name: /^W? ?Wallet/ }).click()

/** Returns the milliseconds from sending the signature to the frame that says that the money was seen. */
async function payOnce(browser: Browser, service: Local): Promise<number> {
  const page = await (await browser.newContext({ viewport: { width: 390, height: 844 } })).newPage()
  await page.addInitScript(marks)
  await page.goto(await newOrder(service))
  await toWallets(page)
  await page.getByRole('button', { name: /Test wallet/ }).click()
  await page.getByRole('button', { name: 'Sign in Test wallet' }).click()
  await page.getByRole('heading', { name: /Payment detected|Paid/ }).waitFor()
  const took = await page.evaluate(() => {
    // The first request asks what may be signed, and the second one sends the signature.
    const signed = performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('/x402/complete'))[1]
    return performance.getEntriesByName('received')[0]!.startTime - signed!.startTime
  })
  await page.context().close()
  return took
}

async function plainTransfer({ rpcUrl, keys, usdcAddress }: Local): Promise<number> {
  const payer = createPayer(rpcUrl, keys[2]!)
  const start = performance.now()
  await payer.pay(usdcAddress, '0x000000000000000000000000000000000000bEEF', 1_000_000n)
  return performance.now() - start
}

/** Measures from the tap on "Wallet" to the list of wallets on a slow phone. The baseline is one request for as many bytes. */
async function listFigure(browser: Browser, service: Local): Promise<Figure> {
  const till: number[] = []
  const plain: number[] = []
  for (let round = 0; round < lists; round++) {
    const page = await (await browser.newContext({ viewport: { width: 390, height: 844 } })).newPage()
    await page.addInitScript(marks)
    await page.goto(await newOrder(service))
    await page.waitForSelector('#till[data-ready=live]')
    await imitatePhone(page)
    await page.evaluate(() => performance.clearResourceTimings())
    await toWallets(page)
    await page.getByRole('button', { name: /Test wallet/ }).waitFor()
    till.push(
      await page.evaluate(() => performance.getEntriesByName('wallets')[0]!.startTime - performance.getEntriesByName('tap')[0]!.startTime),
    )
    const bytes = await page.evaluate(() =>
      performance.getEntriesByType('resource').reduce((sum, entry) => sum + (entry as PerformanceResourceTiming).encodedBodySize, 0),
    )
    const baseline = await serveBytes(bytes)
    await page.goto(baseline.url)
    plain.push(
      await page.evaluate(async () => {
        const start = performance.now()
        await (await fetch('/bytes', { cache: 'no-store' })).arrayBuffer()
        return performance.now() - start
      }),
    )
    baseline.close()
    await page.context().close()
  }
  return {
    what: 'tap on "Wallet" to the list of wallets, slow 4G',
    unit: 'ms',
    till: percentile(till, 0.5),
    plain: percentile(plain, 0.5),
    by: 'one request for as many bytes on that line',
  }
}

function serveBytes(bytes: number) {
  const body = Buffer.alloc(bytes)
  return serve((request, response) => response.end(request.url === '/bytes' ? body : '<!doctype html>'))
}
