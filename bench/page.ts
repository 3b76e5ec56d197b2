import { setTimeout as sleep } from 'node:timers/promises'
import { brotliCompressSync, constants } from 'node:zlib'
import type { Browser, Page } from 'playwright-core'
import { payers } from '../local/chains/accounts.ts'
import { imitatePhone, openBrowser } from './browser.ts'
import { type Figure, percentile } from './figures.ts'
import type { Fixture } from './fixture.ts'
import { call, serve } from './http.ts'
import { createPayableOrder, type PayableOrder } from './orders.ts'

const rounds = 11

/** Measures when a slow phone shows the page with the address. The baseline is the same HTML without scripts. */
export async function pageFigures(fixture: Fixture): Promise<Figure[]> {
  const origin = new URL(fixture.baseUrl).origin
  const browser = await openBrowser()
  const order = await createPayableOrder(fixture)
  const answer = await fetch(`${origin}/pay/${order.id}`)
  const html = await answer.text()
  const staticPage = await startStaticPage(html)
  // This header makes a browser start a new process for the page after it has read the headers, which takes time.
  const apart = await startStaticPage(html, { 'cross-origin-opener-policy': answer.headers.get('cross-origin-opener-policy') ?? '' })
  try {
    const visible: number[] = []
    const interactive: number[] = []
    const plain: number[] = []
    const plainApart: number[] = []
    // The pages are interleaved, so that other load on this machine affects all of them alike.
    for (let round = 0; round < rounds; round++) {
      plain.push((await shown(browser, staticPage.url, 'visible')).visible)
      const ours = await shown(browser, `${origin}/pay/${order.id}`, 'interactive')
      visible.push(ours.visible)
      interactive.push(ours.interactive)
      plainApart.push((await shown(browser, apart.url, 'visible')).visible)
    }
    const median = (values: number[]) => percentile(values, 0.5)
    const by = 'the same HTML without its scripts'
    const back = await backOnline(browser, fixture, origin, order)
    return [
      {
        what: 'QR and address visible, slow 4G',
        unit: 'ms',
        till: median(visible),
        plain: median(plain),
        by,
        budget: median(plain) * 1.15,
      },
      {
        what: '… with that header on both',
        unit: 'ms',
        till: median(visible),
        plain: median(plainApart),
        by: 'the same with our Cross-Origin-Opener-Policy',
      },
      { what: '… and interactive', unit: 'ms', till: median(interactive), plain: median(plain), by },
      {
        what: 'right state after coming back online',
        unit: 'ms',
        till: back.page,
        plain: back.read,
        by: 'one GET of the order on that line',
        budget: 2_000,
      },
    ]
  } finally {
    await browser.stop()
    staticPage.close()
    apart.close()
  }
}

async function openSlow(browser: Browser): Promise<Page> {
  const page = await (await browser.newContext({ viewport: { width: 390, height: 844 } })).newPage()
  await imitatePhone(page)
  return page
}

/** This script runs before each frame and marks the first one in which the QR code and the address are visible. */
const marks = `
  const mark = (name) => performance.getEntriesByName(name).length || performance.mark(name)
  const look = () => {
    if (document.querySelector('.qr svg') && document.querySelector('#address b:last-child')?.getClientRects().length) mark('till-visible')
    if (document.querySelector('#till[data-ready]')) mark('till-interactive')
    requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
`

interface Shown {
  /** This counts milliseconds from navigation to the first frame with the QR code and the address. */
  readonly visible: number
  /** This counts milliseconds until the page is hydrated, and is NaN for a page without scripts. */
  readonly interactive: number
}

/**
 * The page's own frames do the timing. A query from outside waits until the main thread is free, so a page that is still hydrating would
 * seem to have shown nothing yet.
 */
async function shown(browser: Browser, url: string, last: 'visible' | 'interactive'): Promise<Shown> {
  const page = await openSlow(browser)
  await page.addInitScript({ content: marks })
  await page.goto(url, { waitUntil: 'commit' })
  await page.locator(last === 'visible' ? '#address b:last-child' : '#till[data-ready]').waitFor()
  const at = await page.evaluate(async () => {
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
    const [visible, interactive] = [performance.getEntriesByName('till-visible')[0], performance.getEntriesByName('till-interactive')[0]]
    return { visible: visible?.startTime ?? Number.NaN, interactive: interactive?.startTime ?? Number.NaN }
  })
  await page.context().close()
  return at
}

/** Pays the order while the page is offline, and measures how long after reconnecting the page shows it. */
async function backOnline(browser: Browser, fixture: Fixture, origin: string, { id, to, raw }: PayableOrder) {
  const page = await openSlow(browser)
  await page.goto(`${origin}/pay/${id}`)
  await page.waitForSelector('#till[data-ready=live]')
  await page.context().setOffline(true)
  await page.getByText('Connection lost. Your payment is safe.').waitFor({ timeout: 60_000 })
  await fixture.base.sendToken(payers[3] ?? payers[0]!, 'USDC', to, raw)
  for (let status = ''; status !== 'COMPLETED'; await sleep(100)) {
    await fixture.base.mine()
    const order = JSON.parse(await call('GET', `${fixture.baseUrl}/orders/${id}`, { 'x-api-key': fixture.apiKey })) as { status: string }
    status = order.status
  }
  let start = performance.now()
  await page.context().setOffline(false)
  await page.getByRole('region', { name: 'Receipt' }).waitFor({ timeout: 30_000 })
  const took = performance.now() - start
  start = performance.now()
  await page.evaluate(
    ([url, key]) => fetch(url!, { headers: { 'X-API-KEY': key! } }).then((answer) => answer.json()),
    [`${fixture.baseUrl}/orders/${id}`, fixture.apiKey],
  )
  const read = performance.now() - start
  await page.context().close()
  return { page: took, read }
}

/** Serves the page with its scripts and preloads disabled, so that nothing in it runs or loads. */
function startStaticPage(html: string, headers: Readonly<Record<string, string>> = {}) {
  const disabled = html
    .replaceAll('<script type="module"', '<script type="nothing"')
    .replaceAll('rel="modulepreload"', 'rel="nothing-at-all"')
  const bytes = brotliCompressSync(disabled, { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } })
  return serve((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'content-encoding': 'br', ...headers }).end(bytes)
  })
}
