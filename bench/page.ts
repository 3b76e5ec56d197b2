import { brotliCompressSync } from 'node:zlib'
import type { Browser } from 'playwright-core'
import { openBrowser, openPhone } from './browser.ts'
import { type Figure, percentile } from './figures.ts'
import type { Fixture } from './fixture.ts'
import { serveLimits } from './limits/limits.ts'
import { createOrder, createPayableOrder } from './orders.ts'

const rounds = 12
/** Where somebody measures the same page twice, two medians differ by less than this. */
const atMost = 1.15
const mostHtml = 24
const mostOnTheWire = 12
const mostLongTasks = 50

/** Measures when a slow phone shows our page and when it reacts, beside the smallest pages that somebody could write. */
export async function pageFigures(fixture: Fixture): Promise<Figure[]> {
  const origin = new URL(fixture.baseUrl).origin
  const [paid, fresh] = [await createPayableOrder(fixture), await createOrder(fixture)]
  const limits = await serveLimits()
  const browser = await openBrowser()
  const pages: readonly Measured[] = [
    { name: 'static', url: limits.staticUrl, pay: '#pay' },
    { name: 'isolated', url: limits.isolatedUrl, pay: '#pay' },
    { name: 'address', url: `${origin}/pay/${paid.id}`, pay: '#address b:last-child', ready: '#till[data-ready]' },
    { name: 'hydrated', url: limits.hydratedUrl, pay: '#pay', ready: '#root[data-ready]' },
    { name: 'isolatedHydrated', url: limits.isolatedHydratedUrl, pay: '#pay', ready: '#root[data-ready]' },
    { name: 'laden', url: limits.ladenUrl, pay: '#pay', ready: '#root[data-ready]' },
    { name: 'choose', url: `${origin}/pay/${fresh.id}`, pay: 'main li a, main li button', ready: '#till[data-ready]' },
  ]
  const times: Record<string, Shown[]> = {}
  try {
    // The pages are interleaved, so that other load on this machine affects all of them alike. The one before is still being closed, so
    // each follows each other one.
    for (let round = 0; round < rounds; round++) {
      for (const page of inRound(pages, round)) (times[page.name] ??= []).push(await shown(browser, page))
    }
  } finally {
    await browser.stop()
    limits.close()
  }
  const median = (name: Measured['name'], figure: keyof Shown) =>
    percentile(
      times[name]!.map((shown) => shown[figure]),
      0.5,
    )
  const html = Buffer.from(await (await fetch(`${origin}/pay/${paid.id}`)).text())
  const beside = (name: 'address' | 'choose', figure: 'visible' | 'interactive', limit: 'static' | 'hydrated'): Figure => ({
    what: `${name} page ${figure}, slow 4G`,
    unit: 'ms',
    till: median(name, figure),
    plain: median(limit, figure),
    by: `a ${limit} page`,
    budget: median(limit, figure) * atMost,
  })
  const besideIsolated = (name: 'address' | 'choose', figure: 'visible' | 'interactive'): Figure => ({
    what: `… ${figure}, with that header on both`,
    unit: 'ms',
    till: median(name, figure),
    plain: median(figure === 'visible' ? 'isolated' : 'isolatedHydrated', figure),
    by: `a ${figure === 'visible' ? 'static' : 'hydrated'} page with our Cross-Origin-Opener-Policy`,
  })
  const besideLaden = (name: 'address' | 'choose'): Figure => ({
    what: '… interactive, with that header and 20 kB of script on both',
    unit: 'ms',
    till: median(name, 'interactive'),
    plain: median('laden', 'interactive'),
    by: 'a hydrated page with our header and a script of our size, nearly all of it a comment',
  })
  const longTasks = (name: 'address' | 'choose', limit: 'static' | 'isolated'): Figure => ({
    what: limit === 'static' ? `long tasks before the ${name} page is visible` : '… with that header on both',
    unit: 'ms',
    till: median(name, 'longTasks'),
    plain: median(limit, 'longTasks'),
    by: limit === 'static' ? 'a static page' : 'a static page with our Cross-Origin-Opener-Policy',
    budget: limit === 'static' ? mostLongTasks : undefined,
  })
  const size = (what: string, till: number, budget: number): Figure => ({ what, unit: 'kB', till, plain: budget, by: 'the budget', budget })
  return [
    beside('choose', 'visible', 'static'),
    besideIsolated('choose', 'visible'),
    beside('address', 'visible', 'static'),
    besideIsolated('address', 'visible'),
    beside('choose', 'interactive', 'hydrated'),
    besideIsolated('choose', 'interactive'),
    besideLaden('choose'),
    beside('address', 'interactive', 'hydrated'),
    besideIsolated('address', 'interactive'),
    besideLaden('address'),
    longTasks('choose', 'static'),
    longTasks('choose', 'isolated'),
    longTasks('address', 'static'),
    longTasks('address', 'isolated'),
    size('HTML of the address page', html.length / 1000, mostHtml),
    size('… compressed', brotliCompressSync(html).length / 1000, mostOnTheWire),
  ]
}

/** Any step through a prime number of places reaches all of them, and each step has them in another order. A few places may be empty. */
const places = 7
const inRound = <P>(pages: readonly P[], round: number): readonly P[] =>
  Array.from({ length: places }, (_, at) => pages[(at * (1 + (round % (places - 1)))) % places]).filter((page) => page !== undefined)

interface Measured {
  readonly name: 'static' | 'isolated' | 'hydrated' | 'isolatedHydrated' | 'laden' | 'address' | 'choose'
  readonly url: string
  /** The payer can see and use this once the page is visible. */
  readonly pay: string
  /** Matches once the page reacts. */
  readonly ready?: string
}

interface Shown {
  /** Milliseconds from navigation to the first frame in which the payer sees how to pay. */
  readonly visible: number
  /** Milliseconds until the page reacts, NaN without scripts. */
  readonly interactive: number
  /** The sum of the tasks of over 50 ms that began before it was visible. */
  readonly longTasks: number
}

/** This script runs before each frame and marks the first one in which what it looks for is there. */
const marks = ({ pay, ready }: Measured) => `
  const mark = (name) => performance.getEntriesByName(name).length || performance.mark(name)
  const isInView = (element) => {
    const { top, bottom, height } = element.getBoundingClientRect()
    return height > 0 && top < innerHeight && bottom > 0 && !element.matches(':disabled, [aria-disabled=true]')
  }
  globalThis.longTasks = []
  new PerformanceObserver((list) => longTasks.push(...list.getEntries())).observe({ type: 'longtask', buffered: true })
  const look = () => {
    if ([...document.querySelectorAll(${JSON.stringify(pay)})].some(isInView)) mark('bench-visible')
    if (${JSON.stringify(ready ?? '')} && document.querySelector(${JSON.stringify(ready ?? 'none')})) mark('bench-interactive')
    requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
`

/** A string, because the transpiler would add calls of helpers to a function, and those do not exist in the page. */
const measuredTimes = `new Promise((resolve) => setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(resolve)), 100)).then(() => {
  const timeOf = (name) => performance.getEntriesByName(name)[0]?.startTime ?? Number.NaN
  const before = longTasks.filter(({ startTime }) => startTime < timeOf('bench-visible'))
  return {
    visible: timeOf('bench-visible'),
    interactive: timeOf('bench-interactive'),
    longTasks: before.reduce((sum, { duration }) => sum + duration, 0),
  }
})`

/** The page's own frames do the timing. A query from outside waits until the main thread is free, which would be too late. */
async function shown(browser: Browser, measured: Measured): Promise<Shown> {
  const page = await openPhone(browser)
  await page.addInitScript({ content: marks(measured) })
  await page.goto(measured.url, { waitUntil: 'commit' })
  await page
    .locator(measured.ready ?? measured.pay)
    .first()
    .waitFor({ state: 'attached' })
  const at = await page.evaluate<Shown>(measuredTimes)
  await page.context().close()
  return at
}
