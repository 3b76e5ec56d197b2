import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser, Page } from 'playwright-core'
import { openBrowser } from './browser.ts'
import { type Figure, percentile } from './figures.ts'
import type { Fixture } from './fixture.ts'
import { call } from './http.ts'

const rounds = 9

/** Measures from the click on a merchant's button to the page in the modal. The baseline is a frame of the same HTML without scripts. */
export async function embedFigures(fixture: Fixture): Promise<Figure[]> {
  const browser = await openBrowser()
  const shop = await startShop(fixture)
  try {
    const times: Record<Way, number[]> = { bare: [], cold: [], prepared: [] }
    // The ways are interleaved, so that other load on this machine affects all of them alike.
    for (let round = 0; round < rounds; round++) for (const way of ways) times[way].push(await clicked(browser, shop.url, way))
    const median = (way: Way) => percentile(times[way], 0.5)
    const by = 'a click that adds a frame with the same HTML without its scripts'
    return [
      { what: 'click → page in the modal, cold', unit: 'ms', till: median('cold'), plain: median('bare'), by },
      { what: '… prepared by hover', unit: 'ms', till: median('prepared'), plain: median('bare'), by },
    ]
  } finally {
    await browser.stop()
    shop.close()
  }
}

const ways = ['bare', 'cold', 'prepared'] as const
type Way = (typeof ways)[number]

/** Returns the milliseconds from the click to the frame's first paint. Each run has a new profile, so nothing is cached. */
async function clicked(browser: Browser, url: string, way: Way): Promise<number> {
  const context = await browser.newContext({ viewport: { width: 1000, height: 800 } })
  const page = await context.newPage()
  await page.goto(url)
  await page.waitForFunction(() => 'open' in ((window as { Till?: object }).Till ?? {}))
  if (way === 'prepared') {
    const shell = page.waitForResponse((response) => response.url().endsWith('/frame'))
    await page.locator('till-button').hover()
    await (await shell).finished()
    await page.waitForFunction(() => document.querySelector('body > div')?.shadowRoot?.querySelector('iframe') !== undefined)
  }
  const target = way === 'bare' ? '#bare' : 'till-button'
  // A script clicks, because a real pointer would hover first, and hovering prepares what is meant to be cold.
  const start = await page.evaluate((selector) => {
    const element = document.querySelector(selector)!
    const at = performance.timeOrigin + performance.now()
    ;(element.shadowRoot?.querySelector('button') ?? (element as HTMLElement)).click()
    return at
  }, target)
  const painted = await paintedAt(page)
  await context.close()
  return painted - start
}

async function paintedAt(page: Page): Promise<number> {
  const began = performance.now()
  for (;;) {
    const frame = page.frames().find((candidate) => candidate.parentFrame() && /\/(frame\/|static)/.test(candidate.url()))
    const at = await frame
      ?.evaluate(() => {
        const paint = performance.getEntriesByName('first-contentful-paint')[0]
        return paint && performance.timeOrigin + paint.startTime
      })
      .catch(() => undefined)
    if (at !== undefined) return at
    if (performance.now() - began > 30_000) throw new Error('nothing was painted in the frame')
    await sleep(5)
  }
}

/** Serves a merchant's page on another site, and the page without scripts that its plain button shows in a frame. */
async function startShop(fixture: Fixture) {
  const pay = new URL(fixture.baseUrl).origin
  let html = ''
  let staticPage = ''
  const server = createServer((request, response) => {
    const body = request.url === '/static' ? staticPage : html
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, resolve))
  const { port } = server.address() as AddressInfo
  const origin = `http://localhost:${port}`
  const settings = { embed_origins: [origin] }
  const body = JSON.stringify({ mode: 'SALE', amount: '42.50', fiat_unit: 'usd', settings })
  const { id } = JSON.parse(await call('POST', `${fixture.baseUrl}/orders`, fixture.signed('POST', '/orders'), body)) as { id: string }
  staticPage = (await (await fetch(`${pay}/frame/${id}`)).text()).replaceAll(
    /<script type="module"[^>]*><\/script>|<link rel="modulepreload"[^>]*>/g,
    '',
  )
  html = `<!doctype html><script async src="${pay}/till.js"></script><till-button order="${id}">Pay</till-button><button id="bare">Pay</button>
<script>document.querySelector('#bare').onclick = () => { const frame = document.createElement('iframe'); frame.src = 'http://127.0.0.1:${port}/static'; frame.width = 440; frame.height = 600; document.body.append(frame) }</script>`
  return {
    url: `${origin}/`,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
