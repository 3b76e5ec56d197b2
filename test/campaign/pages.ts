import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core'

/** Payers' browsers, each with an order's page open. */
export interface Pages {
  readonly open: readonly OpenPage[]
  /** Reloads the page until it loads, as a payer would. */
  at(orderId: string, hostedUrl: string): Promise<void>
}

export interface OpenPage {
  readonly orderId: string
  readonly page: Page
  readonly context: BrowserContext
  readonly devtools: CDPSession
  /** Errors, policy violations and foreign requests of any page. */
  readonly wrong: readonly string[]
}

export function createPages(browser: Browser): Pages {
  const open: OpenPage[] = []
  return {
    open,
    async at(orderId, hostedUrl) {
      const context = await browser.newContext()
      const page = await context.newPage()
      const wrong: string[] = []
      page.on('pageerror', (error) => wrong.push(error.message))
      while (!(await arrived(page, hostedUrl))) await sleep(100)
      open.push({ orderId, page, context, devtools: await context.newCDPSession(page), wrong })
    },
  }
}

async function arrived(page: Page, url: string): Promise<boolean> {
  try {
    const answer = await page.goto(url, { timeout: 10_000 })
    if (answer?.status() !== 200) return false
    await page.waitForSelector('#till[data-ready]', { timeout: 10_000 })
    return true
  } catch {
    return false
  }
}
