import { type AddressInfo } from 'node:net'
import type { Server } from 'node:http'
import { createAdaptorServer } from '@hono/node-server'

export class PortBusy extends Error {
  constructor(port: number, host: string) {
    super(`Port ${port} on ${host} is in use: stop what uses it, or set PORT to another.`)
    this.name = 'PortBusy'
  }
}

type Fetch = (request: Request, env: { incoming: import('node:http').IncomingMessage }) => Response | Promise<Response>

export interface Listening {
  readonly server: Server
  readonly port: number
  /** No new connections; resolves when the last request is answered. */
  close(): Promise<void>
}

/** Slow clients are cut off, and a body that never ends ends here. */
export const listen = async (fetch: Fetch, host: string, port: number): Promise<Listening> => {
  const server = createAdaptorServer({
    fetch: fetch as Parameters<typeof createAdaptorServer>[0]['fetch'],
    overrideGlobalObjects: false,
  }) as Server
  server.headersTimeout = 10_000
  server.requestTimeout = 30_000
  server.keepAliveTimeout = 20_000
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(error.code === 'EADDRINUSE' ? new PortBusy(port, host) : error))
    server.listen(port, host, resolve)
  })
  return {
    server,
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeIdleConnections()
      }),
  }
}
