import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/**
 * Returns the axe violations at WCAG 2.2 AA. It bypasses the page's policy, as an extension would. Axe is loaded and runs in one evaluation,
 * since the page may replace its document between two.
 */
export async function violations(page: Page): Promise<string[]> {
  const cdp = await page.context().newCDPSession(page)
  const { result, exceptionDetails } = await cdp.send('Runtime.evaluate', {
    expression: `${axe};axe.run(document, { runOnly: ${JSON.stringify(rules)} }).then((r) => JSON.stringify(r.violations.map((v) => v.id + ': ' + v.nodes.map((n) => n.html.slice(0, 160) + ' ' + n.failureSummary).join(' | '))))`,
    awaitPromise: true,
    returnByValue: true,
  })
  if (exceptionDetails) throw new Error(`axe failed: ${exceptionDetails.exception?.description ?? exceptionDetails.text}`)
  await cdp.detach()
  return JSON.parse(String(result.value)) as string[]
}
