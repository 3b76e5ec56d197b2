import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A price provider that the test controls. */
export interface Prices {
  readonly url: string
  /** Dollars by price id. Delete an id to have no price. */
  readonly known: Map<string, { usd: string; ageMs?: number }>
  close(): Promise<void>
}

export async function startPrices(): Promise<Prices> {
  const known: Prices['known'] = new Map(
    Object.entries({
      usdc: '1',
      usdt: '1',
      dai: '1',
      eth: '2500',
      eur: '1.08',
      gbp: '1.27',
      mxn: '0.055',
      brl: '0.18',
      cop: '0.00024',
    }).map(([id, usd]) => [id, { usd }]),
  )
  const server = createServer((request, response) => {
    const ids = new URL(request.url ?? '/', 'http://prices').searchParams.get('ids')?.split(',') ?? []
    const prices = Object.fromEntries(
      ids.flatMap((id) => {
        const price = known.get(id)
        return price ? [[id, { usd: price.usd, as_of: new Date(Date.now() - (price.ageMs ?? 0)).toISOString() }]] : []
      }),
    )
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ prices }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    known,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
