import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { generatePrivateKey } from 'viem/accounts'
import type { Page } from 'playwright-core'
import { parse } from 'yaml'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { readConfig } from '../../server/config.ts'
import { readGuardConfig } from '../../server/guard/guard-config.ts'
import { useBrowser } from '../support/browser/browser.ts'
import { openShop, type Shop } from '../support/service/checkout.ts'
import { startMerchantSite, type MerchantSite } from '../support/browser/merchant-page.ts'
import { startService, type Service } from '../support/service/service.ts'
import { freePort } from '../support/service/free-port.ts'
import { type Block, blocksOf, documents, read } from './blocks.ts'
import { isCommands, problemOf } from './commands.ts'
import { expectShown } from './expect.ts'
import { readers } from './json.ts'
import { makeMerchantFolder, type MerchantFolder } from './merchant-folder.ts'
import { production } from './production.ts'
import { openShell, type Shell } from './shell.ts'

/** Runs every block of every document from top to bottom against one local service, as a reader would. An unknown kind fails. */

/** Kinds that cannot be run here, with the reason. */
const unrunnable: Readonly<Record<string, string>> = {
  picture: 'a drawing',
  swift: 'needs Xcode: test/docs/apps.test.ts compares it with the page',
  kotlin: 'needs the SDK of Android: test/docs/apps.test.ts compares it with the page',
  tsx: 'needs React Native: its decisions are a script that is run',
  http: 'the form of a header: test/contracts and test/providers hold providers to it',
}

let service: Service
let shop: Shop
let site: MerchantSite
let folder: MerchantFolder
const browser = useBrowser()

beforeAll(async () => {
  ;[service, site, folder] = await Promise.all([startService(), startMerchantSite(), makeMerchantFolder()])
  shop = await openShop(service)
})
afterAll(async () => {
  await Promise.all([service?.close(), site?.close()])
  folder?.remove()
})

/** The state while a document is being run. */
interface Reading {
  readonly room: string
  readonly shell: Shell
  /** Replaces the addresses that a document prints with those of this run. */
  here(text: string): string
  /** The output of the previous block. */
  shown: string
  /** The merchant's page of the previous HTML block. */
  page: Page | undefined
}

async function begin(doc: string): Promise<Reading> {
  const shopUrl = /the demo shop +(\S+)/.exec(service.output())?.[1] ?? ''
  const port = String(await freePort())
  const room = folder.room(doc)
  const shell = openShell(room)
  onTestFinished(() => shell.close())
  return {
    room,
    shell,
    here: (text) =>
      text
        .replaceAll('http://localhost:4020', service.payUrl)
        .replaceAll('https://pay.example', service.payUrl)
        .replaceAll('http://127.0.0.1:4021', shopUrl)
        .replace(/\b3000\b/g, port),
    shown: '',
    page: undefined,
  }
}

const runners: Readonly<Record<string, (block: Block, reading: Reading) => Promise<void>>> = {
  async sh({ text }, reading) {
    if (!isCommands(text)) reading.shown = await reading.shell.run(reading.here(text))
    else {
      expect(problemOf(text)).toBeUndefined()
      if (text.includes('npm start')) reading.shown = service.output()
    }
  },
  async text({ text }, reading) {
    expectShown(reading.shown, reading.here(text))
  },
  async json({ text, what = '' }) {
    const reader = readers[what]
    if (!reader) throw new Error(`nobody reads JSON called ${JSON.stringify(what)}`)
    await reader(JSON.parse(text))
  },
  async ini({ text }, { room }) {
    const env = Object.fromEntries(text.split('\n').map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]))
    if (env.GUARD_RULES !== undefined) {
      const rules = blocksOf('docs/guard.md').find(({ what }) => what === 'GUARD_RULES')
      writeFileSync(join(room, 'guard.json'), rules?.text ?? '')
      readGuardConfig({ ...env, GUARD_RULES: join(room, 'guard.json') })
      return
    }
    const chains = blocksOf('docs/chains.md').find(({ what }) => what === 'TILL_CHAINS')
    writeFileSync(join(room, 'chains.json'), chains?.text ?? '')
    readConfig({ TILL_OPERATOR_8453: generatePrivateKey(), ...env, ...(env.TILL_CHAINS && { TILL_CHAINS: join(room, env.TILL_CHAINS) }) })
  },
  async yaml({ text }) {
    expect(parse(text)).toMatchObject({ rule_files: ['alerts.yaml'], scrape_configs: [{ job_name: 'till' }] })
  },
  async html({ text }, reading) {
    reading.page = await merchantPage(reading.here(text))
    await expectCheckout(reading.page)
  },
  async csp({ text }) {
    const html = `<!doctype html><html lang="en"><title>Shop</title><script async src="${service.payUrl}/till.js"></script><till-button order="ord_…">Pay</till-button></html>`
    await expectCheckout(await merchantPage(html, { 'content-security-policy': text.replaceAll('https://pay.example', service.payUrl) }))
  },
  async js({ text, what, file }, reading) {
    if (what === 'page') return inPage(text)
    const name = file ?? 'script.mjs'
    writeFileSync(join(reading.room, name), reading.here(text))
    if (!file) reading.shown = await reading.shell.run(`node ${name}`)
  },
  // The scripts are type-checked together, and test/embed covers their behaviour in a page.
  async ts() {},
}

const newOrder = () => shop.order({ embed_origins: [site.origin] })
let pages = 0

async function merchantPage(html: string, headers?: Readonly<Record<string, string>>): Promise<Page> {
  const [named, made] = await Promise.all([newOrder(), newOrder()])
  site.put('/checkout', made.id)
  const [{ integrity }] = (await (await fetch(`${service.payUrl}/till.json`)).json()) as [{ integrity: string }]
  const page = await (await browser.context()).newPage()
  await page.goto(site.put(`/docs/${++pages}`, html.replaceAll('ord_…', named.id).replaceAll('sha384-…', integrity), headers))
  return page
}

/** Opens the checkout with its button unless it is already on the page. */
async function expectCheckout(page: Page): Promise<void> {
  if ((await page.locator('till-checkout').count()) === 0) await page.getByRole('button', { name: /Pay/ }).click()
  await page
    .frameLocator('iframe')
    .getByRole('heading', { name: /How would you like to pay|Wie|42/ })
    .first()
    .waitFor()
}

/** Runs a merchant's script on a page that has a button without an order. */
async function inPage(script: string): Promise<void> {
  const page = await merchantPage(
    `<!doctype html><html lang="en"><title>Shop</title><script async src="${service.payUrl}/till.js"></script><till-button>Pay</till-button><script>${script}</script></html>`,
  )
  if (script.includes('.order =')) await expectCheckout(page)
  // The script opens the checkout without a click, so it appears as a modal.
  else await page.frameLocator('iframe').getByRole('heading', { name: 'How would you like to pay?' }).waitFor()
}

describe('default: every block does what it says', () => {
  const withBlocks = documents.filter((doc) => !production.includes(doc) && blocksOf(doc).length > 0)

  test.each(withBlocks)('%s', async (doc) => {
    const reading = await begin(doc)
    for (const block of blocksOf(doc)) {
      if (Object.hasOwn(unrunnable, block.kind)) {
        console.warn(`${block.name} is not run: ${unrunnable[block.kind]}`)
        continue
      }
      const run = Object.hasOwn(runners, block.kind) ? runners[block.kind] : undefined
      if (!run) throw new Error(`${block.name}: nothing runs ${JSON.stringify(block.kind)}`)
      await run(block, reading).catch((error: unknown) => {
        const why = error instanceof Error ? error.message : String(error)
        throw new Error(`${block.name}: ${why}\nThe service said:\n${service.output().slice(-4_000)}`, { cause: error })
      })
    }
  })
})

test('default: the clicks that the README names pay an order', async () => {
  const clicks = [...(/Open the payable order, click ([^:]+): it is paid/.exec(read('README.md'))?.[1] ?? '').matchAll(/\*\*([^*]+)\*\*/g)]
  expect(clicks.length).toBeGreaterThan(1)
  const page = await (await browser.context()).newPage()
  await page.goto((await shop.order()).hosted_url)
  for (const [, name = ''] of clicks)
    await page
      .locator('main a, main button')
      .filter({ hasText: new RegExp(name) })
      .first()
      .click()
  await page.getByRole('region', { name: 'Receipt' }).waitFor()
})

test('default: every script compiles against the published package', async () => {
  const scripts = documents.flatMap(blocksOf).filter(({ kind }) => kind === 'js' || kind === 'ts')
  expect(scripts.length).toBeGreaterThan(3)
  expect(await folder.check(scripts)).toBe('')
})
