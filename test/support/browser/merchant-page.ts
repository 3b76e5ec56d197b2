import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'

/** A merchant's site at http://127.0.0.1, which is another site than Till's http://localhost. */
export interface MerchantSite {
  readonly origin: string
  /** Serves this HTML at `path` with these headers and returns the URL. */
  put(path: string, html: string, headers?: Readonly<Record<string, string>>): string
  /** The reports that browsers posted to /report. */
  readonly reports: unknown[]
  readonly requests: { readonly path: string; readonly headers: IncomingHttpHeaders }[]
  close(): Promise<void>
}

export async function startMerchantSite(host = '127.0.0.1'): Promise<MerchantSite> {
  const pages = new Map<string, { html: string; headers: Readonly<Record<string, string>> }>()
  const reports: unknown[] = []
  const requests: MerchantSite['requests'] = []
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://shop').pathname
    requests.push({ path, headers: request.headers })
    if (path === '/report') {
      let body = ''
      request.on('data', (chunk: Buffer) => (body += chunk.toString()))
      request.on('end', () => {
        reports.push(JSON.parse(body))
        response.writeHead(204).end()
      })
      return
    }
    const page = pages.get(path)
    if (!page) return response.writeHead(path === '/favicon.ico' ? 204 : 404).end()
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...page.headers }).end(page.html)
  })
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  const origin = `http://${host}:${(server.address() as AddressInfo).port}`
  return {
    origin,
    reports,
    requests,
    put: (path, html, headers = {}) => {
      pages.set(path, { html, headers })
      return origin + path
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** An event of an element or of Till, as recorded by `eventLog`. */
export interface HostEvent {
  readonly type: string
  readonly detail: Readonly<Record<string, unknown>>
}

/** A script that runs before all others and records Till's events in `window.hostEvents`. */
export const eventLog = `window.hostEvents = [];
for (const type of ['open','ready','resize','method','pending','partial','paid','expired','failed','refunded','closed','error'])
  (window.Till ||= []).push((till) => till.on(type, (detail) => hostEvents.push({ type, detail })))`

export const hostEvents = (page: Page): Promise<HostEvent[]> =>
  page.evaluate(() => (window as unknown as { hostEvents: HostEvent[] }).hostEvents)

export const eventTypes = async (page: Page): Promise<string[]> =>
  (await hostEvents(page)).map(({ type }) => type).filter((type) => type !== 'resize')

/** Collects errors, policy reports and warnings of every page in the window, including frames. */
export function complaints(page: Page): string[] {
  const all: string[] = []
  page.on('pageerror', (error) => all.push(`error: ${error.message}`))
  page.on('console', (message) => {
    if (message.type() === 'error' || /Content.Security.Policy|Refused/i.test(message.text()))
      all.push(`${message.type()}: ${message.text()}`)
  })
  return all
}
