import jsQR from 'jsqr'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { openShop, type Shop } from '../support/service/checkout.ts'
import { full } from '../support/full.ts'
import { eventLog, startMerchantSite, type HostEvent, type MerchantSite } from '../support/browser/merchant-page.ts'
import { otherBrowsers, type OtherBrowser } from '../support/browser/other-browsers.ts'
import { cropped, readPng } from '../support/browser/png.ts'
import { startService, type Service } from '../support/service/service.ts'
import { until } from '../support/wait.ts'

/** The critical payment paths in browsers other than Chromium: dark mode, another language, paid on a real chain. */

let service: Service
let shop: Shop
let site: MerchantSite

beforeAll(async () => {
  ;[service, site] = await Promise.all([startService(), startMerchantSite()])
  shop = await openShop(service)
})
afterAll(() => Promise.all([service?.close(), site?.close()]))

const found = (text: string, of = 'button, a, summary') =>
  `[...document.querySelectorAll('${of}')].find((element) => /${text}/.test(element.textContent))`
const showsText = (text: string) => `new RegExp(${JSON.stringify(text)}).test(document.querySelector('main')?.textContent)`
/** Collects errors and policy violations from the first script of a page on. */
const wrong = `window.wrong ??= []`

/** Decodes the QR code from a screenshot as a camera would. */
async function scan(browser: OtherBrowser): Promise<string | undefined> {
  const code = `[...document.querySelectorAll('svg[data-qr]')].find((element) => element.getBoundingClientRect().width > 0)`
  await until(() => browser.run(`${code}?.querySelector('image') != null`))
  const box = await browser.run<{ x: number; y: number; width: number; height: number }>(`${code}.getBoundingClientRect().toJSON()`)
  const { width, height, data } = cropped(readPng(await browser.shot()), box)
  return jsQR(data, width, height)?.data
}

for (const { name, missing, open } of otherBrowsers()) {
  if (missing) console.warn(`\n*** ${name} was NOT tested: ${missing} ***\n`)
  describe.skipIf(missing)(missing ? `${name}: SKIPPED, ${missing}` : name, () => {
    let browser: OtherBrowser
    beforeAll(async () => {
      browser = await open()
    })
    afterAll(() => browser?.close())
    afterEach(() => browser.goto('about:blank'))

    const see = (text: string, frame?: string) =>
      until(() => browser.run<boolean>(showsText(text), frame), { every: 100, what: `${name} says ${text}` })
    const pay = async (made: Awaited<ReturnType<Shop['order']>>, to: string) => {
      const { asset } = made.fulfillment
      await shop.payer(asset.chain_id).pay(asset.address, to, 42_500_000n)
    }

    test(`default: ${name}: the page at its link, from the choice to the receipt`, async () => {
      const made = await shop.order()
      await browser.goto(`${made.hosted_url}?locale=de`)
      await browser.run(
        `(${wrong}, addEventListener('securitypolicyviolation', (event) => wrong.push(event.violatedDirective + ' ' + event.blockedURI)), addEventListener('error', (event) => wrong.push(event.message)), true)`,
      )
      expect(await browser.run('document.documentElement.lang')).toBe('de')
      await until(() => browser.run(`document.querySelector('#till').dataset.ready === 'live'`))
      await browser.click(found('An Adresse senden|Adresse'))
      await see('42,50 USDC')
      const to = await until(() => browser.run<string>(`document.querySelector('#address')?.textContent`))
      // Without a mouse the code waits behind a button.
      await browser.run(`(${found('QR-Code anzeigen', 'summary')}.click(), true)`)
      // The QR code stays black on white in dark mode so that cameras can read it.
      expect(await browser.run(`matchMedia('(prefers-color-scheme: dark)').matches`)).toBe(true)
      await until(async () => (await scan(browser)) === to, { every: 200 })
      const background = await browser.run<string>('getComputedStyle(document.body).backgroundColor')
      expect(Math.max(...(background.match(/\d+/g) ?? ['255']).slice(0, 3).map(Number))).toBeLessThan(80)

      const copy = `document.querySelector('[data-copy="${to}"]')`
      await browser.click(copy)
      await until(() => browser.run(`/Kopiert/.test(${copy}.textContent)`))

      // With fetch blocked, updates can arrive only by the socket.
      await browser.run('(window.fetch = () => Promise.reject(new TypeError("no")), true)')
      await pay(made, to)
      await until(() => browser.run(`document.querySelector('a[href*="/receipt"]') !== null`), { every: 100 })
      expect(await browser.run('window.wrong')).toEqual([])

      await browser.goto(`${made.hosted_url}?locale=ar`)
      expect(await browser.run('getComputedStyle(document.documentElement).direction')).toBe('rtl')
    })

    test.runIf(full)(`default: ${name}: inline and modal on a merchant’s page`, async () => {
      const made = await shop.order({ embed_origins: [site.origin] })
      const url = site.put(
        '/',
        `<!doctype html><title>Shop</title><script>window.wrong = []; addEventListener('error', (event) => wrong.push(event.message)); ${eventLog}</script><script async src="${service.payUrl}/till.js"></script>
<till-button order="${made.id}">Pay</till-button><till-checkout order="${made.id}"></till-checkout>`,
      )
      await browser.goto(url)
      const events = async () => (await browser.run<HostEvent[]>('window.hostEvents')).filter(({ type }) => type !== 'resize')
      const inline = `document.querySelector('till-checkout').shadowRoot.querySelector('iframe')`
      await until(async () => (await events()).some(({ type }) => type === 'ready'))
      await see('How would you like to pay', inline)
      await until(() => browser.run(`document.querySelector('till-checkout').getBoundingClientRect().height > 330`))

      await browser.click(`document.querySelector('till-button')`)
      const dialog = `[...document.querySelectorAll('html > div')].map((element) => element.shadowRoot?.querySelector('dialog')).find(Boolean)`
      const modal = `${dialog}.querySelector('iframe')`
      await until(() => browser.run(`${dialog}?.matches('.ready:modal')`))
      expect(await browser.run(`${dialog}.ariaLabel`)).toBe('Secure checkout')
      await browser.click(found('Send to address'), modal)
      await see('Send 42.50 USDC', modal)
      await pay(made, await browser.run<string>(`document.querySelector('#address').textContent`, modal))
      await until(async () => (await events()).filter(({ type }) => type === 'paid').length === 2, { every: 100 })
      await browser.click(`${dialog}.querySelector('button')`)
      await until(async () => (await events()).at(-1)?.type === 'closed')
      expect(await browser.run('window.wrong')).toEqual([])
    })
  })
}
