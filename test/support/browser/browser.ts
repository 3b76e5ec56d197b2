import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, type Browser, type BrowserContext, type BrowserContextOptions, type LaunchOptions } from 'playwright-core'
import { afterAll, beforeAll, inject, onTestFinished } from 'vitest'
import { findChromium } from './chromium-path.ts'

/** Prepares a headless Chromium with site isolation and web security, as payers have them. */
async function prepare(): Promise<{ options: LaunchOptions; clear: () => void }> {
  const { path, env } = await findChromium()
  const home = mkdtempSync(join(tmpdir(), 'till-browser-'))
  const options = {
    executablePath: path,
    args: [
      // Containers and root have no namespaces for the sandbox. Only our own pages are opened here.
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--disable-dev-shm-usage',
    ],
    env: { ...process.env, ...env, HOME: home, TMPDIR: home, TZ: 'UTC' },
  }
  return { options, clear: () => rmSync(home, { recursive: true, force: true, maxRetries: 5 }) }
}

/** Starts a browser that the caller closes. */
export async function openBrowser(): Promise<Browser> {
  const { options, clear } = await prepare()
  const browser = await chromium.launch(options)
  browser.on('disconnected', clear)
  return browser
}

/** Serves one browser for a whole run at this address. */
export async function serveBrowser(): Promise<{ readonly address: string; close(): Promise<void> }> {
  const { options, clear } = await prepare()
  const server = await chromium.launchServer(options)
  return {
    address: server.wsEndpoint(),
    close: async () => {
      await server.close()
      clear()
    },
  }
}

/**
 * Uses the run's browser, or starts one for the test file. Each test opens a fresh context:
 *
 *     const browser = useBrowser()
 *     test('behavior: …', async () => {
 *       const page = await (await browser.context({ javaScriptEnabled: false })).newPage()
 */
export function useBrowser(): { context(options?: BrowserContextOptions): Promise<BrowserContext> } {
  let browser: Browser
  beforeAll(async () => {
    const address = inject('browser')
    browser = await (address ? chromium.connect(address) : openBrowser())
  })
  afterAll(() => browser?.close())
  return {
    async context(options) {
      const context = await browser.newContext(options)
      context.setDefaultTimeout(60_000)
      onTestFinished(() => context.close())
      return context
    },
  }
}
