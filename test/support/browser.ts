import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, type Browser, type BrowserContext, type BrowserContextOptions } from 'playwright-core'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import { findChromium } from './chromium-path.ts'

/** A headless Chromium with its walls up: site isolation and web security as payers have them. The caller closes it. */
export async function openBrowser(): Promise<Browser> {
  const { path, env } = await findChromium()
  const home = mkdtempSync(join(tmpdir(), 'till-browser-'))
  const browser = await chromium.launch({
    executablePath: path,
    args: [
      // Containers and root have no namespaces for its sandbox; it only ever opens our own pages here.
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
  })
  browser.on('disconnected', () => rmSync(home, { recursive: true, force: true, maxRetries: 5 }))
  return browser
}

/**
 * One browser for a test file, a fresh context for each test:
 *
 *     const browser = useBrowser()
 *     test('behavior: …', async () => {
 *       const page = await (await browser.context({ javaScriptEnabled: false })).newPage()
 */
export function useBrowser(): { context(options?: BrowserContextOptions): Promise<BrowserContext> } {
  let browser: Browser
  beforeAll(async () => {
    browser = await openBrowser()
  })
  afterAll(() => browser?.close())
  return {
    async context(options) {
      const context = await browser.newContext(options)
      onTestFinished(() => context.close())
      return context
    },
  }
}
