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

export type Fetch = (request: Request, env: { incoming: IncomingMessage; writesReadyBody: true }) => Response | Promise<Response>

export interface Listening {
  readonly server: Server
  readonly port: number
  /** Node accepts one connection per turn of the event loop, so if it accepted one in the last turn, more are probably waiting. */
  hasConnectionBacklog(): boolean
  /** Accepts no more connections, and resolves when the last one has closed. */
  close(): Promise<void>
}

export interface ListenParts {
  readonly host: string
  readonly port: number
  readonly connections?: ConnectionLimit
  readonly isTrustedProxy?: Proxies
  /** A server must set this if it also serves WebSockets. */
  readonly upgrades?: boolean
}

/** A connection that got a 429 response, and is not a proxy's, is not read for this long. */
const restMs = 1_000
/** Limits the bytes of responses in memory that clients have not read, per IP address and in all. The operating system buffers more. */
const unreadLimits = { perAddress: 16 * 1_048_576, inAll: 128 * 1_048_576 } as const
const takenWithinMs = 60_000

export async function listen(
  fetch: Fetch,
  { host, port, connections, isTrustedProxy = () => false, upgrades = false }: ListenParts,
): Promise<Listening> {
  const answer = async (request: Request, env: { incoming: IncomingMessage; outgoing: ServerResponse }): Promise<Response> => {
    const response = await fetch(request, { ...env, writesReadyBody: true })
    const { socket } = env.incoming
    // A proxy's connection carries requests of other clients too, so it must not rest.
    if (response.status === 429 && !isTrustedProxy(socket.remoteAddress ?? '')) pacing.pauseFor(socket, restMs)
    return sendReady(response, env.outgoing) ? RESPONSE_ALREADY_SENT : response
  }
  const listener = getRequestListener(answer as Parameters<typeof getRequestListener>[0], {
    overrideGlobalObjects: false,
    // Hono handles errors of its routes, so only a request with an invalid host or URL comes here.
    errorHandler: () => Response.json(errorBody(400, malformed), { status: 400 }),
  })
  // With Node's default, which checks every 30 s for overdue connections, a limit of 10 s could take 40 s.
  const server = createServer(
    { requireHostHeader: false, connectionsCheckingInterval: 2_000 },
    (request, response) => void listener(request, response),
  )
  let latest = 0
  let hasConnectionBacklog = false
  server.on('connection', () => {
    const turn = ++latest
    hasConnectionBacklog = true
    // The first callback runs at the end of this turn, and the second at the end of the next one.
    setImmediate(() => setImmediate(() => (hasConnectionBacklog = turn !== latest)))
  })
  const held = unreadResponses(unreadLimits)
  const pacing = paced(server, {
    takenWithinMs,
    upgrades,
    onUnread: (request, bytes) => held.hold(addressName(request, isTrustedProxy), request.socket, bytes),
  })
  server.on('clientError', refuse)
  server.headersTimeout = 10_000
  server.requestTimeout = 30_000
  server.keepAliveTimeout = 20_000
  // This disconnects a client that is silent in both directions. The ws package removes the timeout from WebSockets.
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
    hasConnectionBacklog: () => hasConnectionBacklog,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeIdleConnections()
      }),
  }
}

const malformed = 'The request could not be parsed.'

/** A request that could not be parsed gets a JSON response, like every other error. */
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
