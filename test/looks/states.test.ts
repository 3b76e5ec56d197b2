import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import jsQR from 'jsqr'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { violations } from '../support/browser/axe.ts'
import { useBrowser } from '../support/browser/browser.ts'
import { full } from '../support/full.ts'
import { qrText } from '../../src/methods/address/view/qr-text.ts'
import { localeCodes } from '../../src/wire/locale.ts'
import { ready, watch } from '../support/service/checkout.ts'
import { recordedBitcoin } from '../support/orders/bitcoin-orders.ts'
import * as orders from '../support/orders/orders.ts'
import { readPng } from '../support/browser/png.ts'
import { startRecordedPages } from '../support/browser/recorded-pages.ts'
import { root } from '../support/root.ts'

/** Every state on the built page, checked with axe and a QR decoder. */

const pictures = join(root, 'test-results/pages')
const names = Object.keys({ ...orders.recorded, ...recordedBitcoin })
const browser = useBrowser()
let site: Awaited<ReturnType<typeof startRecordedPages>>

beforeAll(async () => {
  mkdirSync(pictures, { recursive: true })
  site = await startRecordedPages()
})
afterAll(() => site?.close())

/** Short runs check light, and dark from right to left; the full run adds the others, and takes a picture of each state. */
const looks = [
  { name: 'mobile', viewport: { width: 390, height: 844 }, colorScheme: 'light', locale: 'en' },
  { name: 'mobile-dark', viewport: { width: 390, height: 844 }, colorScheme: 'dark', locale: 'en' },
  { name: 'mobile-dark-rtl', viewport: { width: 390, height: 844 }, colorScheme: 'dark', locale: 'ar' },
  { name: 'desktop', viewport: { width: 1280, height: 900 }, colorScheme: 'light', locale: 'en' },
  { name: 'mobile-rtl', viewport: { width: 390, height: 844 }, colorScheme: 'light', locale: 'ar' },
  { name: 'desktop-rtl', viewport: { width: 1280, height: 900 }, colorScheme: 'dark', locale: 'he' },
  { name: 'embed', viewport: { width: 400, height: 700 }, colorScheme: 'light', locale: 'en' },
  { name: 'forced-colors', viewport: { width: 390, height: 844 }, colorScheme: 'dark', forcedColors: 'active', locale: 'en' },
] as const

for (const { name: look, ...options } of looks.filter(({ name }) => full || name === 'mobile' || name === 'mobile-dark-rtl')) {
  test(`default: ${look}: axe finds nothing in any state, nothing overflows, nothing violates the policy`, async () => {
    const page = await (await browser.context({ ...options, bypassCSP: false })).newPage()
    const found: Record<string, unknown> = {}
    const seen = watch(page, [site.url])
    for (const name of [...names, 'no-such-order']) {
      await page.goto(`${site.url}/${look === 'embed' ? 'frame' : 'pay'}/${name}`)
      if (name !== 'no-such-order') await ready(page)
      const bad = await violations(page).catch((error: unknown) => {
        throw new Error(`${name}: ${String(error)}`)
      })
      const wider = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)
      if (full) await page.screenshot({ path: join(pictures, `${name}-${look}.png`), fullPage: true })
      const wrong = seen.splice(0)
      if (bad.length > 0 || wider || wrong.length > 0) found[name] = { bad, wider, wrong }
    }
    expect(found).toEqual({})
  })
}

test('behavior: every QR code decodes to the value of its link and its copy button, but for the case of a Bitcoin address', async () => {
  for (const colorScheme of ['light', 'dark'] as const) {
    const page = await (await browser.context({ viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, colorScheme })).newPage()
    for (const name of [
      '04-address',
      '05-partial',
      '21b-bitcoin-pay',
      '21c-bitcoin-partial',
      '04-native',
      '04-bitcoin',
      '04-solana',
      '04-sui',
      '04-partly-seen',
    ]) {
      await page.goto(`${site.url}/pay/${name}`)
      await ready(page)
      const link = await page.locator('details.open a').first().getAttribute('href')
      const copied = await page.getByRole('button', { name: 'Copy address' }).getAttribute('data-copy')
      for (const [mode, expected] of [
        ['Address only', copied],
        ['With amount', link],
      ] as const) {
        await page.getByText(mode, { exact: true }).click()
        await expect.poll(() => scan(page), { message: `${name}, ${mode}, ${colorScheme}` }).toBe(qrText(expected ?? ''))
      }
    }
  }
})

test('behavior: the whole first response fits into one round trip: at most 12 kB in every state and language', async () => {
  for (const name of names) {
    for (const locale of localeCodes) {
      const answer = await fetch(`${site.url}/pay/${name}?locale=${locale}`, { headers: { 'accept-encoding': 'br' } })
      const packed = brotliCompressSync(await answer.arrayBuffer(), { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } }).length
      expect(packed, `${name} ${locale}`).toBeLessThanOrEqual(12_000)
    }
  }
})

test('behavior: each first screen hydrates with what its own response names and re-renders no text', async () => {
  const page = await (await browser.context({ locale: 'pl' })).newPage()
  // Recorded at the moment when the page becomes interactive, so later requests do not count.
  await page.addInitScript({
    content: `
      const used = []
      for (const name of ['NumberFormat', 'DateTimeFormat', 'ListFormat', 'PluralRules']) {
        const Own = Intl[name]
        Intl[name] = new Proxy(Own, {
          construct: (target, given) => (used.push(name), new target(...given)),
          apply: (target, self, given) => (used.push(name), target(...given)),
        })
      }
      new MutationObserver((_, observer) => {
        if (!document.querySelector('#till[data-ready]')) return
        observer.disconnect()
        const fetched = performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname)
        window.atFirst = { used: [...used], fetched: fetched.filter((path) => path.endsWith('.js')) }
      }).observe(document, { subtree: true, attributes: true, attributeFilter: ['data-ready'] })
    `,
  })
  for (const name of names) {
    await page.goto(`${site.url}/pay/${name}`)
    await ready(page)
    const named = await page.evaluate(() =>
      [...document.querySelectorAll('link[rel=modulepreload], script[src]')].map(
        (element) => element.getAttribute('href') ?? element.getAttribute('src'),
      ),
    )
    expect(await page.evaluate('atFirst'), name).toEqual({
      used: [],
      fetched: expect.toSatisfy((paths: string[]) => paths.every((path) => named.includes(path))),
    })
  }
})

test('behavior: hydrating a first screen keeps every element of its response, in its place', async () => {
  const page = await (await browser.context()).newPage()
  const outline = `[...document.querySelectorAll('main *')].filter((element) => !element.closest('svg')).map((element) => element.localName + '.' + element.className)`
  await page.addInitScript({
    content: `
      new MutationObserver((_, observer) => {
        if (!document.querySelector('#till[data-ready]')) return
        observer.disconnect()
        window.hydrated = ${outline}
      }).observe(document, { subtree: true, attributes: true, attributeFilter: ['data-ready'] })
      addEventListener('readystatechange', () => document.readyState === 'interactive' && (window.served = ${outline}), true)
    `,
  })
  for (const name of names) {
    await page.goto(`${site.url}/pay/${name}`)
    await ready(page)
    const { served, hydrated } = await page.evaluate<{ served: string[]; hydrated: string[] }>('({ served, hydrated })')
    expect(served.length, name).toBeGreaterThan(3)
    expect(hydrated, name).toEqual(served)
  }
})

test('behavior: what helps at an exchange is readable without its script, and stays open when that comes', async () => {
  const context = await browser.context()
  for (const ends of ['abort', 'continue'] as const) {
    const page = await context.newPage()
    let answer = () => {}
    const held = new Promise<void>((resolve) => (answer = resolve))
    await page.route('**/assets/secondary-*.js', async (route) => {
      await held
      await route[ends]()
    })
    const asked = page.waitForRequest('**/assets/secondary-*.js')
    await page.goto(`${site.url}/pay/04-address`)
    await page.locator('#till[data-ready]').waitFor()
    const fold = page.locator('.fold', { hasText: 'Paying from an exchange?' })
    await fold.locator('summary').click()
    const text = await fold.innerText()
    for (const part of ['Base or Base Mainnet', 'Not ERC20, BEP20', 'Same address, any number of transfers.']) expect(text).toContain(part)
    await fold.locator('> div > div').evaluate((element) => element.setAttribute('data-of-server', ''))
    await asked
    const failed = ends === 'abort' && page.waitForEvent('requestfailed', (request) => request.url().includes('/secondary-'))
    answer()
    await (failed || fold.locator('> div > div:not([data-of-server])').waitFor())
    expect(await fold.innerText()).toBe(text)
    await page.close()
  }
})

test('behavior: the link asks for the amount due, to this address, on this chain', async () => {
  const page = await (await browser.context()).newPage()
  const link = async (name: string) => {
    await page.goto(`${site.url}/pay/${name}`)
    return page.locator('details.open a').first().getAttribute('href')
  }
  expect(await link('05-partial')).toBe(`ethereum:${orders.usdc.address}@8453/transfer?address=${orders.depositAddress}&uint256=22500000`)
  expect(await link('04-native')).toBe(`ethereum:${orders.depositAddress}@1?value=14231000000000000`)
  expect(await link('04-bitcoin')).toBe('bitcoin:bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq?amount=0.00045698')
  expect(await link('04-solana')).toBe('solana:9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin?amount=0.28')
})

test('behavior: an address breaks into even rows in any font, and a selection copies it unbroken', async () => {
  const page = await (await browser.context({ viewport: { width: 390, height: 844 } })).newPage()
  for (const [name, rows] of [
    ['04-address', [5, 5]],
    ['04-bitcoin', [4, 4, 3]],
    ['04-solana', [4, 4, 3]],
    ['04-sui', [4, 4, 4, 4]],
  ] as const) {
    await page.goto(`${site.url}/pay/${name}`)
    await ready(page)
    const address = page.locator('#address')
    for (const font of ['monospace', 'sans-serif', 'serif']) {
      const { tops, selected } = await address.evaluate((element, family) => {
        element.style.fontFamily = family
        getSelection()!.selectAllChildren(element)
        const groups = [...element.querySelectorAll('b, i')].filter((group) => group.textContent !== '0x')
        return { tops: groups.map((group) => Math.round(group.getBoundingClientRect().bottom)), selected: String(getSelection()) }
      }, font)
      const counts = [...new Set(tops)].map((top) => tops.filter((other) => other === top).length)
      expect(counts, `${name}, ${font}`).toEqual(rows)
      expect(selected, `${name}, ${font}`).toBe(await page.getByRole('button', { name: 'Copy address' }).getAttribute('data-copy'))
    }
  }
})

test('behavior: copying works without the clipboard API, and reports when nothing works', async () => {
  const context = await browser.context()
  const page = await context.newPage()
  await page.addInitScript(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }))
  await page.goto(`${site.url}/pay/04-address`)
  await ready(page)
  await page.getByRole('button', { name: 'Copy amount' }).click()
  await page.getByRole('button', { name: 'Copied' }).waitFor()
  expect(await page.getByRole('status').last().textContent()).toBe('Copied')
  await page.evaluate(() => (document.execCommand = () => false))
  await page.getByRole('button', { name: 'Copy address' }).click()
  await page.getByText('Copying was refused').waitFor()
  expect(await page.evaluate(() => String(getSelection()))).toBe(orders.depositAddress)
})

test('behavior: a long word in an item’s name, and a reference without spaces, stay within the summary', async () => {
  const page = await (await browser.context()).newPage()
  for (const width of [320, 1100]) {
    await page.setViewportSize({ width, height: 700 })
    await page.goto(`${site.url}/pay/01-choose`)
    await ready(page)
    const outside = await page.evaluate((word) => {
      const summary = document.querySelector('.sum')!
      summary.querySelector('.lines li > span + span')!.firstChild!.nodeValue = word
      summary.querySelector('.who bdi')!.textContent = word
      const edge = summary.getBoundingClientRect().right
      return [...summary.querySelectorAll('*')]
        .filter((element) => element.getBoundingClientRect().right > edge)
        .map(({ outerHTML }) => outerHTML)
    }, 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerk')
    expect({ width, outside }).toEqual({ width, outside: [] })
  }
})

test('behavior: the page works by keyboard alone, at 400 %, in forced colours, without motion', async () => {
  const context = await browser.context({ viewport: { width: 320, height: 256 }, forcedColors: 'active', reducedMotion: 'reduce' })
  const page = await context.newPage()
  await page.goto(`${site.url}/pay/04-address`)
  await ready(page)
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320)
  const seen = new Set<string>()
  for (let press = 0; press < 20; press++) {
    await page.keyboard.press('Tab')
    const { name, outline } = await page.evaluate(() => {
      const at = document.activeElement as HTMLElement
      if (at === document.body) return { name: '', outline: '' }
      const label = at instanceof HTMLInputElement ? document.querySelector<HTMLElement>(`[for=${at.id}]`) : undefined
      return {
        name: (at.getAttribute('aria-label') ?? label?.textContent ?? at.textContent ?? '').trim(),
        outline: getComputedStyle(label ?? at).outlineStyle,
      }
    })
    seen.add(name)
    if (name && !name.startsWith('Northwind')) expect(outline, name).not.toBe('none')
  }
  for (const name of ['Other ways to pay', 'Copy address', 'Copy amount', 'Address only', 'Open in a wallet', 'Paying from an exchange?'])
    expect([...seen].join('|')).toContain(name)
  expect(await page.evaluate(() => document.getAnimations().length)).toBe(0)
})

async function scan(page: Page): Promise<string | undefined> {
  const { data, width, height } = readPng(await page.locator('.qr svg:visible').screenshot())
  return jsQR(data, width, height)?.data
}
