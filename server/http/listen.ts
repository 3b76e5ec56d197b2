import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { getRequestListener } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { sendReady } from './ready-response.ts'
import { errorBody, type ErrorStatus } from './api-error.ts'
import { addressName, type Proxies } from './client-address.ts'
import type { ConnectionLimit } from './connection-limit.ts'
import { paced } from './backpressure.ts'
import { closeWithResponse } from './close-with-response.ts'
import { unreadResponses } from './unread-responses.ts'

export class PortBusy extends Error {
  constructor(port: number, host: string) {
    super(`Port ${port} on ${host} is in use: stop what uses it, or set PORT to another.`)
    this.name = 'PortBusy'
  }
}

export type Fetch = (request: Request, env: { incoming: IncomingMessage; sendsReady: true }) => Response | Promise<Response>

export interface Listening {
  readonly server: Server
  readonly port: number
  /** Whether connections are waiting to be accepted: Node accepts one per turn of the event loop, and did so in the last. */
  isAccepting(): boolean
  /** No new connections; resolves when the last request is answered. */
  close(): Promise<void>
}

export interface ListenParts {
  readonly host: string
  readonly port: number
  readonly connections?: ConnectionLimit
  readonly isTrustedProxy?: Proxies
  /** Whether upgrades to WebSocket are served. */
  readonly upgrades?: boolean
}

/** A client that was refused for asking too often is not read for this long, if it asks on the same connection. */
const restMs = 1_000
/** Responses that are held in memory until they are read, of one address and of all. The operating system holds some more. */
const unread = { perAddress: 16 * 1_048_576, inAll: 128 * 1_048_576 } as const
const takenWithinMs = 60_000

/** Serves HTTP. Clients that send or read too slowly are disconnected, and so is a body that does not end. */
export async function listen(
  fetch: Fetch,
  { host, port, connections, isTrustedProxy = () => false, upgrades = false }: ListenParts,
): Promise<Listening> {
  const answer = async (request: Request, env: { incoming: IncomingMessage; outgoing: ServerResponse }): Promise<Response> => {
    const response = await fetch(request, { ...env, sendsReady: true })
    const { socket } = env.incoming
    // A proxy's connection serves others next.
    if (response.status === 429 && !isTrustedProxy(socket.remoteAddress ?? '')) pacing.rest(socket, restMs)
    return sendReady(response, env.outgoing) ? RESPONSE_ALREADY_SENT : response
  }
  const listener = getRequestListener(answer as Parameters<typeof getRequestListener>[0], {
    overrideGlobalObjects: false,
    // Only requests that cannot be understood come here: a host or an address that is none.
    errorHandler: () => Response.json(errorBody(400, malformed), { status: 400 }),
  })
  // Node checks for overdue connections twice a minute by default: a limit of 10 s would be one of 40.
  const server = createServer(
    { requireHostHeader: false, connectionsCheckingInterval: 2_000 },
    (request, response) => void listener(request, response),
  )
  let latest = 0
  let isAccepting = false
  server.on('connection', () => {
    const turn = ++latest
    isAccepting = true
    // The end of this turn, and the end of the next one.
    setImmediate(() => setImmediate(() => (isAccepting = turn !== latest)))
  })
  const held = unreadResponses(unread)
  const pacing = paced(server, {
    takenWithinMs,
    upgrades,
    onUnread: (request, bytes) => held.hold(addressName(request, isTrustedProxy), request.socket, bytes),
  })
  server.on('clientError', refuse)
  server.headersTimeout = 10_000
  server.requestTimeout = 30_000
  server.keepAliveTimeout = 20_000
  // Nothing in either direction. Sockets are upgraded out of it.
  server.timeout = 60_000
  server.on('connection', (socket) => {
    if (!connections) return
    const release = connections.connection(socket.remoteAddress ?? '')
    if (release) socket.once('close', release)
    else socket.destroy()
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(error.code === 'EADDRINUSE' ? new PortBusy(port, host) : error))
    server.listen(port, host, resolve)
  })
  return {
    server,
    port: (server.address() as AddressInfo).port,
    isAccepting: () => isAccepting,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeIdleConnections()
      }),
  }
}

const malformed = 'This is not a request that can be understood.'

/** A request that could not be parsed is answered in the same shape as everything else. */
function refuse(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const [status, message] = clientErrors[error.code ?? ''] ?? ([400, malformed] as const)
  const body = JSON.stringify(errorBody(status, message))
  const head = [
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    'Connection: close',
  ].join('\r\n')
  closeWithResponse(socket, `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head}\r\n\r\n${body}`)
}

const clientErrors: Readonly<Record<string, readonly [ErrorStatus, string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'The headers are too long.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request took too long to arrive.'],
}
