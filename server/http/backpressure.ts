import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Node parses all pipelined requests of a chunk at once, handles all of them, and buffers the responses for a client that does not read.
 * Here a connection has one request in flight. The parser gets one head at a time, and after it only the body, until the operating system
 * has taken the last byte of the response. What follows stays in the paused socket, so that TCP slows the sender down. A client that does
 * not read its response is disconnected after `takenWithinMs`. A connection that rests (see `pauseFor`) is not read, since refusing a
 * client again and again must not cost more than answering it.
 */
export interface Pacing {
  /** Delays the next request of this connection. */
  pauseFor(socket: Socket, ms: number): void
}

export interface PacingParts {
  readonly takenWithinMs: number
  /** If upgrades are served, an upgraded connection is no longer paced, since its handler reads it. */
  readonly upgrades: boolean
  /** Counts the bytes of a response that the operating system has not taken. The returned function is called when they are gone. */
  readonly onUnread: (request: IncomingMessage, bytes: number) => () => void
}

interface Connection {
  unanswered: number
  latest: IncomingMessage | undefined
  isResting: boolean
  readonly read: (chunk: Buffer) => void
}

const headEnd = '\r\n\r\n'
const checkEveryMs = 2_000

export function paced(server: Server, { takenWithinMs, upgrades, onUnread }: PacingParts): Pacing {
  const connections = new WeakMap<Socket, Connection>()
  /** Maps a socket to the time when its response was complete, until the client has taken all of it. */
  const unreadSince = new Map<Socket, number>()

  const mustWait = (socket: Socket, { unanswered, latest, isResting }: Connection): boolean =>
    isResting || unanswered > 1 || (unanswered === 1 && latest?.complete === true) || socket.isPaused()

  const resume = (socket: Socket, connection: Connection): void => {
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

  /** Stops pacing a connection: its bytes no longer go to the parser. */
  const release = (socket: Socket): void => {
    const connection = connections.get(socket)
    if (connection) socket.removeListener('data', connection.read)
    connections.delete(socket)
  }
  server.prependListener('clientError', (_: Error, socket) => release(socket as Socket))
  if (upgrades) {
    server.prependListener('upgrade', (_, socket) => {
      release(socket as Socket)
      // No other listener is left, since the service is stopping, so nothing would handle this upgrade.
      if (server.listenerCount('upgrade') === 1) socket.destroy()
    })
  }

  server.prependListener('request', (request, response) => {
    const { socket } = request
    const connection = connections.get(socket)
    if (!connection) return
    connection.unanswered++
    connection.latest = request
    let release = (): void => undefined
    response.once('prefinish', () => {
      unreadSince.set(socket, performance.now())
      if (socket.writableLength > 0) release = onUnread(request, socket.writableLength)
    })
    response.once('close', () => {
      unreadSince.delete(socket)
      release()
      connection.unanswered--
      resume(socket, connection)
    })
  })

  const check = setInterval(() => {
    const overdue = performance.now() - takenWithinMs
    for (const [socket, since] of unreadSince) if (since < overdue) socket.destroy()
  }, checkEveryMs).unref()
  server.once('close', () => clearInterval(check))

  return {
    pauseFor(socket, ms) {
      const connection = connections.get(socket)
      if (!connection) return
      connection.isResting = true
      setTimeout(() => {
        connection.isResting = false
        resume(socket, connection)
      }, ms).unref()
    },
  }
}
