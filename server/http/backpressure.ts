import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Node parses every pipelined request of a chunk at once, begins to answer all of them, and keeps the answers for a client that does not
 * read. Here a connection has one request in work, and back-pressure does the rest:
 *
 * 1. The parser gets the bytes of one request's head at a time.
 * 2. While a request that has arrived whole is unanswered the parser gets nothing: what follows stays in the socket, which is paused, so that
 *    TCP slows the sender down. A body that is still arriving is let through.
 * 3. An answer counts as given when the operating system has taken its last byte. A client that does not read gets no second one, and
 *    one that takes longer than `takenWithinMs` for it is cut off.
 * 4. A connection that rests is not read either: to be refused again and again must not cost more than to be answered.
 */
export interface Pacing {
  /** The next request of this connection waits so long. */
  rest(socket: Socket, ms: number): void
}

export interface PacingParts {
  readonly takenWithinMs: number
  /** Whether upgrades are served: what follows one belongs to whoever serves it. */
  readonly upgrades: boolean
  /** What the operating system has not taken of an answer when it is complete. The result is called when that is over. */
  readonly onUnread: (request: IncomingMessage, bytes: number) => () => void
}

interface Connection {
  unanswered: number
  latest: IncomingMessage | undefined
  isResting: boolean
  readonly read: (chunk: Buffer) => void
}

const headEnd = '\r\n\r\n'
const lookEveryMs = 2_000

export function paced(server: Server, { takenWithinMs, upgrades, onUnread }: PacingParts): Pacing {
  const connections = new WeakMap<Socket, Connection>()
  /** When the answer that a client is to take was complete. */
  const untaken = new Map<Socket, number>()

  const mustWait = (socket: Socket, { unanswered, latest, isResting }: Connection): boolean =>
    isResting || unanswered > 1 || (unanswered === 1 && latest?.complete === true) || socket.isPaused()

  const goOn = (socket: Socket, connection: Connection): void => {
    if (!connection.isResting && !socket.destroyed) socket.resume()
  }

  server.on('connection', (socket: Socket) => {
    const [parse] = socket.listeners('data') as ((bytes: Buffer) => void)[]
    if (!parse) throw new Error('This version of Node reads HTTP connections in a way that cannot be paced.')
    const read = (chunk: Buffer): void => {
      let rest = chunk
      while (rest.length > 0 && !socket.destroyed) {
        const current = connections.get(socket)
        if (!current || mustWait(socket, current)) {
          if (current) socket.pause()
          socket.unshift(rest)
          return
        }
        const end = rest.indexOf(headEnd)
        const length = end === -1 ? rest.length : end + headEnd.length
        parse.call(socket, rest.subarray(0, length))
        rest = rest.subarray(length)
      }
    }
    connections.set(socket, { unanswered: 0, latest: undefined, isResting: false, read })
    socket.removeListener('data', parse)
    socket.on('data', read)
  })

  /** From here on the parser gets nothing of it any more. */
  const release = (socket: Socket): void => {
    const connection = connections.get(socket)
    if (connection) socket.removeListener('data', connection.read)
    connections.delete(socket)
  }
  server.prependListener('clientError', (_: Error, socket) => release(socket as Socket))
  if (upgrades) {
    server.prependListener('upgrade', (_, socket) => {
      release(socket as Socket)
      // Whoever served them has stopped.
      if (server.listenerCount('upgrade') === 1) socket.destroy()
    })
  }

  server.prependListener('request', (request, response) => {
    const { socket } = request
    const connection = connections.get(socket)
    if (!connection) return
    connection.unanswered++
    connection.latest = request
    let read = (): void => undefined
    response.once('prefinish', () => {
      untaken.set(socket, performance.now())
      if (socket.writableLength > 0) read = onUnread(request, socket.writableLength)
    })
    response.once('close', () => {
      untaken.delete(socket)
      read()
      connection.unanswered--
      goOn(socket, connection)
    })
  })

  const look = setInterval(() => {
    const overdue = performance.now() - takenWithinMs
    for (const [socket, since] of untaken) if (since < overdue) socket.destroy()
  }, lookEveryMs).unref()
  server.once('close', () => clearInterval(look))

  return {
    rest(socket, ms) {
      const connection = connections.get(socket)
      if (!connection) return
      connection.isResting = true
      setTimeout(() => {
        connection.isResting = false
        goOn(socket, connection)
      }, ms).unref()
    },
  }
}
