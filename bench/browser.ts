import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, type Browser, type Page } from 'playwright-core'
import { findChromium } from '../test/support/browser/chromium-path.ts'

/** Starts a browser with its own home directory, so that no profile or cache of an earlier run changes the figures. */
export async function openBrowser(): Promise<Browser & { stop(): Promise<void> }> {
  const { path, env } = await findChromium()
  const home = mkdtempSync(join(tmpdir(), 'till-bench-browser-'))
  const browser = await chromium.launch({
    executablePath: path,
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--disable-background-networking'],
    env: { ...process.env, ...env, HOME: home, TMPDIR: home },
  })
  return Object.assign(browser, {
    stop: async () => {
      await browser.close()
      rmSync(home, { recursive: true, force: true })
    },
  })
}

/** Imitates slow 4G and the CPU of a phone. */
export async function imitatePhone(page: Page): Promise<void> {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('Network.enable')
  await cdp.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 150,
    downloadThroughput: 1_600_000 / 8,
    uploadThroughput: 750_000 / 8,
  })
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: 4 })
}

/** Opens an empty page in a browser of its own cookies and cache, on a phone of the middle class with a slow line. */
export async function openPhone(browser: Browser): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 412, height: 823 }, deviceScaleFactor: 1.75 })
  const page = await context.newPage()
  await imitatePhone(page)
  return page
}
