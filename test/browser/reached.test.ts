import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { TestDollar } from '../../server/chains/evm/contracts/artifacts/TestDollar.ts'
import { owner, payers } from '../../local/chains/accounts.ts'
import { violations } from '../support/browser/axe.ts'
import { useBrowser } from '../support/browser/browser.ts'
import { listening, watch } from '../support/service/checkout.ts'
import { checkout as instruct, endWindowIn, expireUntil, untilStatus, type Checkout } from '../support/orders/payments.ts'
import { root } from '../support/root.ts'
import { startStage, type Merchant, type Process, type Stage } from '../support/service/stage.ts'
import { until } from '../support/wait.ts'

/** States reached by real transfers, in front of the service as it runs in production. The test mines every block. */

const pictures = join(root, 'test-results/reached')
const browser = useBrowser()
const payer = payers[0]!
let stage: Stage
let process: Process
let merchant: Merchant
let blocks: { readonly stop: () => Promise<unknown> } | undefined

function mine() {
  if (blocks) return
  let mined: Promise<unknown> = Promise.resolve()
  const timer = setInterval(() => {
    mined = mined.then(() => Promise.all([stage.base.mine(), stage.ethereum.mine()])).catch(() => undefined)
  }, 150)
  blocks = { stop: () => (clearInterval(timer), mined) }
}
/** No block is mined any more once this has resolved. */
async function halt() {
  await blocks?.stop()
  blocks = undefined
}

beforeAll(async () => {
  mkdirSync(pictures, { recursive: true })
  stage = await startStage({ mining: 'manual' })
  process = await stage.start()
  merchant = await stage.merchant()
  mine()
})
afterEach(mine)
afterAll(async () => {
  await halt()
  await stage?.close()
})

const order = () => instruct(merchant.at(process), { amount: '42.50', fiat_unit: 'usd', metadata: { reference: 'NW-20418' } })
const send = (to: Checkout, ui: number, token = 'USDC') => stage.base.sendToken(payer, token, to.deposit, BigInt(Math.round(ui * 1e6)))
async function open({ created }: Checkout) {
  const page = await (await browser.context({ viewport: { width: 390, height: 844 } })).newPage()
  const wrong = watch(page, [new URL(created.hosted_url).origin])
  await page.goto(created.hosted_url)
  await listening(page)
  // Nothing is announced before the later screens are there.
  await until(() => page.evaluate(() => performance.getEntriesByType('resource').some(({ name }) => name.includes('/assets/secondary-'))))
  return { page, wrong }
}
const title = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name }).waitFor()
/** Checks the page with axe and takes a screenshot for people. */
async function looksRight(page: Page, name: string) {
  expect(await violations(page)).toEqual([])
  await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true })
}

test('behavior: a payment in another token is seen, named and held; the address stays', async () => {
  const it = await order()
  const { page, wrong } = await open(it)
  await send(it, 42.5, 'USDT')
  await page.getByText('Your 42.50 USDT arrived on Base. This order needs USDC.').waitFor()
  await page.getByText(/^Nothing is lost\. We’re holding it for you\. It goes back to you once .* agrees\.$/).waitFor()
  await until(
    async () =>
      (await page.locator('p[role=status]').textContent()) ===
      'Your 42.50 USDT arrived on Base. Nothing is lost. We’re holding it for you.',
  )
  expect(await page.title()).toContain('Held for you · 42.50 USDT on Base')
  expect(await page.getByRole('button', { name: 'Copy address' }).isVisible()).toBe(true)
  await looksRight(page, 'wrong-token')
  expect(wrong).toEqual([])
})

test('behavior: an overpaid receipt says how much is held and who decides', async () => {
  const it = await order()
  const { page, wrong } = await open(it)
  await send(it, 50)
  const receipt = page.getByRole('region', { name: 'Receipt' })
  await receipt.waitFor()
  await title(page, 'You’ve paid, and 7.50 USDC on Base is still yours')
  await page.getByText(/ It goes back to you once .* agrees\.$/).waitFor()
  expect(await receipt.textContent()).toContain('50.00')
  await looksRight(page, 'overpaid')
  expect(wrong).toEqual([])
})

test('behavior: when a reorganisation drops a transfer, the address and QR code return with the reason', async () => {
  const it = await order()
  const { page, wrong } = await open(it)
  await halt()
  await send(it, 42.5)
  await stage.base.mine()
  await title(page, 'Payment detected: 42.50 USDC on Base')
  await stage.base.reorg(1)
  await stage.base.mine()
  await title(page, 'Send 42.50 USDC on Base')
  expect(await page.getByRole('button', { name: 'Copy address' }).isVisible()).toBe(true)
  expect(await page.getByRole('group', { name: 'QR code' }).isVisible()).toBe(true)
  await page.locator('main .note').getByText('A transfer of 42.50 USDC on Base is no longer on the network').waitFor()
  await looksRight(page, 'reorg')
  expect(wrong).toEqual([])
})

test('behavior: an expired order with nothing received offers the look-up and a new price for the same address', async () => {
  const it = await order()
  await expireUntil(stage, merchant.at(process), it.id)
  const { page, wrong } = await open(it)
  await title(page, 'Time’s up. We haven’t received a payment.')
  await looksRight(page, 'expired')
  const field = page.getByLabel(/Find my payment/)
  await field.fill('not a hash')
  await page.getByRole('button', { name: 'Find it' }).click()
  await page.getByRole('alert').filter({ hasText: 'This doesn’t look like a transaction hash.' }).waitFor()
  await field.fill(`0x${'ab'.repeat(32)}`)
  await page.getByRole('button', { name: 'Find it' }).click()
  await page.getByRole('alert').filter({ hasNotText: 'doesn’t look like' }).waitFor()
  await page.getByRole('button', { name: 'Get a new price' }).click()
  await title(page, 'Send 42.50 USDC on Base')
  expect((await page.locator('#address').textContent())?.toLowerCase()).toBe(it.deposit.toLowerCase())
  expect(wrong).toEqual([])
})

/** Stops every watcher, as when the leading process has died and no other has taken over yet. */
async function unwatched(during: () => Promise<void>): Promise<void> {
  const connection = await stage.database.sql.reserve()
  const lock = connection`hashtextextended('till:watch:8453', 0)`
  try {
    await until(async () => {
      await connection`
        select pg_terminate_backend(pid) from pg_locks
        where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())
          and pid <> pg_backend_pid() and (classid::bigint << 32) | objid::bigint = ${lock}`
      const [row] = await connection`select pg_try_advisory_lock(${lock}) as taken`
      return row?.taken === true
    })
    await during()
    await connection`select pg_advisory_unlock(${lock})`
  } finally {
    connection.release()
  }
}

test('behavior: a payment that the service has not seen is found by its hash, and counts', async () => {
  const it = await order()
  await expireUntil(stage, merchant.at(process), it.id)
  const { page, wrong } = await open(it)
  await title(page, 'Time’s up. We haven’t received a payment.')
  await unwatched(async () => {
    const hash = await send(it, 42.5)
    await until(async () => (await stage.base.chain.transaction(hash, AbortSignal.timeout(60_000))) !== undefined)
    await page.getByLabel(/Find my payment/).fill(hash)
    await page.getByRole('button', { name: 'Find it' }).click()
    await title(page, /42\.50 USDC/)
    expect((await merchant.at(process).ask('getOrder', it.path)).payment?.funding?.transactions).toMatchObject([{ tx_hash: hash }])
  })
  await untilStatus(merchant.at(process), it.id, 'COMPLETED')
  expect(wrong).toEqual([])
})

test('behavior: late money counts', async () => {
  const it = await order()
  await expireUntil(stage, merchant.at(process), it.id)
  const { page, wrong } = await open(it)
  await title(page, /Time’s up/)
  await until(async () => (await page.title()).startsWith('Time’s up · '))
  await halt()
  await send(it, 42.5)
  await stage.base.mine()
  await title(page, /We received 42\.50 USDC on Base|Your 42\.50 USDC on Base arrived late|Payment detected/)
  await looksRight(page, 'late')
  mine()
  await page.getByRole('region', { name: 'Receipt' }).waitFor()
  await until(async () => (await page.title()).startsWith('Paid · 42.50 USDC on Base · '))
  expect(wrong).toEqual([])
})

test('behavior: "I need more time" extends the time and says so', async () => {
  const it = await order()
  await endWindowIn(stage, it.id, 240)
  const { page, wrong } = await open(it)
  await page.getByRole('timer').waitFor()
  await looksRight(page, 'timer')
  await page.getByRole('button', { name: 'I need more time' }).click()
  await page.getByRole('status').filter({ hasText: 'The price is held longer.' }).waitFor({ state: 'attached' })
  await page.getByRole('timer').waitFor({ state: 'detached' })
  expect(wrong).toEqual([])
})

test('behavior: after a failed settlement the page says that the money is held and what happens next; then it is refunded', async () => {
  const { base } = stage
  const bar = (functionName: string) =>
    base.call(owner, { address: base.token('USDC'), abi: TestDollar.abi, functionName, args: [merchant.recipient] })
  await bar('blacklist')
  const it = await order()
  const { page, wrong } = await open(it)
  await send(it, 42.5)
  await title(page, 'We’re holding your 42.50 USDC on Base safely')
  await page.getByText('What happens next').waitFor()
  await looksRight(page, 'held')
  await merchant.at(process).ask('refundOrder', {
    ...it.path,
    body: { amount: '42.50', recipient: owner.address, metadata: { reason: 'The dripper is out of stock.' } },
    headers: { 'idempotency-key': it.id },
  })
  await title(page, /42\.\d+ USDC on Base went back to you/)
  await looksRight(page, 'refunded')
  expect(wrong).toEqual([])
  await bar('unBlacklist')
})
