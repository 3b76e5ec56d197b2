import { serve } from '@hono/node-server'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { Server } from 'node:http'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Hono } from 'hono'
import type { AddressInfo } from 'node:net'
import { loadAssets } from '../../../server/pages/assets.ts'
import { pages } from '../../../server/pages/pages.ts'
import { remoteOrders } from '../../../server/pages/remote-orders.ts'
import type { Render } from '../../../src/wire/boot.ts'
import type { OrderRead } from '../../../src/wire/order-read.ts'
import type { ReceiptSheetOf } from '../../../src/wire/receipt-sheet.ts'
import { builtDist } from '../service/build.ts'
import { recordedBitcoin } from '../orders/bitcoin-orders.ts'
import { recorded, recordedNow } from '../orders/orders.ts'
import { recordedService } from './recorded-service.ts'

/** Serves the built page in front of recorded orders, including states that take a service days to reach. */
export async function startRecordedPages(more: ReadonlyMap<string, OrderRead> = new Map(), clock = () => recordedNow, methods?: unknown) {
  const dist = await builtDist()
  const { render, receiptSheet } = (await import(pathToFileURL(join(dist, 'render/render.js')).href)) as {
    render: Render
    receiptSheet: ReceiptSheetOf
  }
  const api = recordedService(
    () => new Map([...Object.entries({ ...recorded, ...recordedBitcoin }).map(([name, make]) => [name, make()] as const), ...more]),
    { clock, methods },
  )
  const app = new Hono()
  const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }) as Server
  await once(server, 'listening')
  const url = `http://localhost:${(server.address() as AddressInfo).port}`
  app.route(
    '/',
    pages({
      orders: remoteOrders({ baseUrl: `${url}/v3`, apiKey: 'pk_test', fetch: (address, init) => api.request(address, init) }),
      publicBaseUrl: `${url}/v3`,
      payUrl: url,
      render,
      receiptSheet,
      assets: loadAssets(join(dist, 'client')),
      fetchImage: () => Promise.reject(new Error('no pictures here')),
      clock,
      nonce: () => randomBytes(16).toString('base64'),
      log: { warn: () => {} },
    }),
  )
  app.route('/', api)
  return {
    url,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
