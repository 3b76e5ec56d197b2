import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { useBrowser } from '../support/browser/browser.ts'

const browser = useBrowser()

test('default: text is rendered with the bundled fonts', async () => {
  const page = await (await browser.context()).newPage()
  await page.setContent('<p></p>')
  const empty = await page.screenshot()
  await page.setContent('<p>12.50 USDC €</p>')
  expect((await page.screenshot()).equals(empty)).toBe(false)
})

test('behavior: web security is on: another origin cannot be read', async () => {
  const server = createServer((_, response) => response.end('<p>page</p>')).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const page = await (await browser.context()).newPage()
  await page.goto(`http://127.0.0.1:${port}/`)
  const read = (url: string) =>
    page.evaluate(
      (target) =>
        fetch(target)
          .then((r) => r.text())
          .catch(() => 'refused'),
      url,
    )
  expect(await read(`http://127.0.0.1:${port}/`)).toBe('<p>page</p>')
  expect(await read(`http://localhost:${port}/`)).toBe('refused')
})
