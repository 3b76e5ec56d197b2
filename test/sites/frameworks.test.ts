import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { useBrowser } from '../support/browser/browser.ts'
import { useShopSite } from '../support/browser/shop-site.ts'
import { complaints } from '../support/browser/merchant-page.ts'
import { full } from '../support/full.ts'
import { buildShop, frameworksFolder, renderShop, typeErrors } from '../support/frameworks.ts'
import { until } from '../support/wait.ts'

/** The package in pages that the real frameworks make (test/frameworks). Their `order` is a function, as the guide says. */

const here = useShopSite()
let folder: string
const browser = useBrowser()

beforeAll(async () => {
  folder = await frameworksFolder()
})

interface Visit {
  readonly page: Page
  readonly made: readonly string[]
  readonly wrong: readonly string[]
  events(): Promise<string[]>
}

/** Opens the page of a framework, whose script comes before or after till.js. */
async function visit(framework: string, tillFirst: boolean): Promise<Visit> {
  const script = here.site.put(`/${framework}.js`, await buildShop(folder, framework), { 'content-type': 'text/javascript' })
  const body = framework === 'hydrated' ? await renderShop(folder) : ''
  const page = await (await browser.context()).newPage()
  const made: string[] = []
  const wrong = complaints(page)
  await page.exposeFunction('newOrder', async () => {
    const { id } = await here.shop.order({ embed_origins: [here.site.origin] })
    made.push(id)
    return id
  })
  const first = tillFirst ? `<script src="${here.service.payUrl}/till.js"></script>` : ''
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Shop</title>${first}<script>payUrl = '${here.service.payUrl}'</script>
<div id="app">${body}</div><script type="module" src="${script}"></script></html>`
  await page.goto(here.site.put(`/${framework}`, html))
  return { page, made, wrong, events: () => page.evaluate(() => (window as { shopEvents?: string[] }).shopEvents ?? []) }
}

const heading = { name: 'How would you like to pay?' }
const isShown = (page: Page, of: string) => page.frameLocator(`${of} iframe`).getByRole('heading', heading).waitFor()

describe.each(['react', 'hydrated', 'vue', 'svelte', 'solid', ...(full ? ['angular'] : [])])('%s', (framework) => {
  test.each([
    ['before', false],
    ['after', true],
  ])(
    'default: rendered %s till.js has loaded, each element gets one order from its function, and its ready event arrives',
    async (_, tillFirst) => {
      const { page, made, wrong, events } = await visit(framework, tillFirst)
      await isShown(page, 'till-checkout')
      await until(async () => (await events()).length === 1)
      expect(await events()).toEqual([`checkout ready ${made[0]}`])

      await page.getByRole('button', { name: 'Render again' }).click()
      await page.getByText('Rendered 2').waitFor()
      await page.getByRole('button', { name: 'Pay now' }).click()
      await isShown(page, 'dialog')
      await until(async () => (await events()).length === 2)
      expect((await events())[1]).toBe(`button ready ${made[1]}`)
      expect(made).toHaveLength(2)
      expect(await page.locator('till-button').getAttribute('class')).toBe('wide')
      expect(await page.locator('till-button').getAttribute('size')).toBe('large')

      await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      await page.getByRole('button', { name: 'Leave' }).click()
      await page.locator('till-checkout').waitFor({ state: 'detached' })
      expect(await page.locator('iframe').count()).toBe(0)
      expect(wrong).toEqual([])
    },
  )
})

test('behavior: a page that asks for one version gets the bytes that it names, and no others', async () => {
  const [{ url, integrity }] = (await (await fetch(`${here.service.payUrl}/till.json`)).json()) as [{ url: string; integrity: string }]
  const { id } = await here.shop.order({ embed_origins: [here.site.origin] })
  const open = async (hash: string) => {
    const page = await (await browser.context()).newPage()
    const html = `<!doctype html><title>Shop</title><script crossorigin src="${url}" integrity="${hash}"></script><till-checkout order="${id}"></till-checkout>`
    await page.goto(here.site.put(`/pinned`, html))
    return page
  }
  await isShown(await open(integrity), 'till-checkout')
  const page = await open(integrity.replace(/.{4}$/, 'AAAA'))
  expect(await page.evaluate(() => customElements.get('till-checkout') === undefined)).toBe(true)
})

test.each([
  ['react.tsx', 'react'],
  ['vue.ts', 'vue'],
  ['svelte.ts', 'svelte'],
  ['solid.tsx', 'solid-js'],
])('behavior: the declarations for %s accept what is right and refuse what is wrong', async (file, jsxImportSource) => {
  expect(await typeErrors(folder, file, jsxImportSource)).toBe('')
})
