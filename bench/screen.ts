import { readFileSync } from 'node:fs'
import { brotliCompressSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { payers } from '../local/chains/accounts.ts'
import { openBrowser } from './browser.ts'
import { type Figure, percentile } from './figures.ts'
import type { Fixture } from './fixture.ts'
import { createPayableOrder, type PayableOrder } from './orders.ts'

const rounds = 15
const packet = 1.46
/** These 14 KiB fit in the ten packets of TCP's initial congestion window, so they arrive in the first round trip. */
const firstRoundTrip = 14.336

/** Measures from the block with a payment to the text on the payer's screen, and the compressed sizes of the page and the button. */
export async function screenFigures(fixture: Fixture): Promise<Figure[]> {
  const origin = new URL(fixture.baseUrl).origin
  const browser = await openBrowser()
  try {
    const shown: number[] = []
    const head: number[] = []
    for (let round = 0; round < rounds; round++) {
      const order = await createPayableOrder(fixture)
      const page = await (await browser.newContext({ viewport: { width: 390, height: 844 } })).newPage()
      await page.goto(`${origin}/pay/${order.id}`)
      // Without a connected socket, a poll would be measured instead of a message.
      await page.waitForSelector('#till[data-ready=live]')
      const times = await paid(fixture, page, order)
      shown.push(times.screen)
      head.push(times.head)
      await page.context().close()
    }
    const order = await createPayableOrder(fixture)
    const html = await (await fetch(`${origin}/pay/${order.id}`)).text()
    const by = 'a poll of the chain’s head every 60 ms, nothing read'
    return [
      { what: 'block → screen, p50', unit: 'ms', till: percentile(shown, 0.5), plain: percentile(head, 0.5), by },
      { what: '… p99', unit: 'ms', till: percentile(shown, 0.99), plain: percentile(head, 0.99), by },
      {
        what: 'the page with QR and address, in all',
        unit: 'kB',
        till: packed(Buffer.from(html)),
        plain: firstRoundTrip,
        by: 'one round trip: ten packets',
        budget: firstRoundTrip,
      },
      {
        what: 'the merchant’s button',
        unit: 'kB',
        till: packed(readFileSync('dist/client/till.js')),
        plain: packet,
        by: 'one packet',
        budget: 3,
      },
    ]
  } finally {
    await browser.stop()
  }
}

const packed = (text: Buffer): number => brotliCompressSync(text).length / 1000

/**
 * Resolves with the time of the first frame that says that the payment was seen. It is a string, because the transpiler would add calls of
 * helpers to a function, and those do not exist in the page.
 */
export const firstFrame = `new Promise((resolve) => {
  const look = () =>
    (document.querySelector('main h1')?.textContent ?? '').startsWith('Payment detected')
      ? resolve(performance.timeOrigin + performance.now())
      : requestAnimationFrame(look)
  look()
})`

async function paid({ base }: Fixture, page: Page, { to, raw }: PayableOrder): Promise<{ screen: number; head: number }> {
  await base.sendToken(payers[0]!, 'USDC', to, raw)
  const seen = page.evaluate<number>(firstFrame)
  const before = (await base.chain.head(AbortSignal.timeout(5_000))).number
  await base.mine()
  const mined = performance.timeOrigin + performance.now()
  const [screen, head] = await Promise.all([seen, polled(base, before)])
  return { screen: screen - mined, head: head - mined }
}

async function polled(base: Fixture['base'], before: number): Promise<number> {
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, 60))
    if ((await base.chain.head(AbortSignal.timeout(5_000))).number > before) return performance.timeOrigin + performance.now()
  }
}
