import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import { type ClientFrame, socketClose, socketLimits } from '../../src/wire/socket.ts'
import { forwardedFor } from '../http/client-address.ts'
import { closeWithResponse } from '../http/close-with-response.ts'
import type { ConnectionLimit } from '../http/connection-limit.ts'
import { isSignedBy, parseSignature, textToSign } from '../http/signature.ts'
import type { Limiter } from '../http/limits.ts'
import type { Keys } from '../http/access.ts'
import { connectedFrame, failure, parseFrame, pingFrame, subscription } from './frames.ts'
import { type Hub, type Listener, orderTopic, organizationTopic } from './hub.ts'

export interface SocketParts {
  readonly hub: Hub
  readonly keys: Keys
  readonly clock: () => number
  readonly misses: Limiter
  readonly connections?: ConnectionLimit
  readonly addressOf: (request: IncomingMessage) => string
  readonly isOrderOf: (organizationId: string, orderId: string) => Promise<boolean>
  readonly path: string
}

export interface Sockets {
  count(): number
  /** Drops, without a close frame as in a network failure, the connections that have subscribed to this very order. */
  dropConnections(orderId: string): number
  /** Closes every socket with the code for a shutdown, upon which clients reconnect to another process. */
  close(): Promise<void>
}

/** A process may have thousands of connections, so a peer has little state. */
interface Peer extends Listener {
  readonly socket: WebSocket
  /** The socket writes to this stream, which is corked to join two writes. */
  readonly stream: Duplex
  readonly address: string
  organizationId?: string
  /** The connection is closed when this key is switched off. */
  apiKey?: string
  isSigned: boolean
  topics: Set<string> | undefined
  /** Counts the protocol pings since the last pong. */
  unanswered: number
  frames: number
  readonly openedAt: number
  /** All peers of a group are pinged at the same tick of the timer, and each tick pings another group. */
  readonly group: Set<Peer>
}

const framesPerTurn = 200
const turnEveryMs = 100

const unauthorized = 'The API key or the signature is missing, malformed, expired or wrong.'

/** Serves live orders at {base_url}/ws: a client connects, subscribes and receives events. */
export function sockets(server: Server, parts: SocketParts): Sockets {
  const { hub } = parts
  const wss = new WebSocketServer({ noServer: true, maxPayload: socketLimits.frameBytes, perMessageDeflate: false, clientTracking: false })
  const peers = new Set<Peer>()
  /** The oldest peers come first, so a check for overdue ones stops at the first that is not overdue. */
  const unauthenticated = new Set<Peer>()
  const groups = Array.from({ length: socketLimits.pingEveryMs / turnEveryMs }, () => new Set<Peer>())
  let turn = 0
  let arrivals = 0

  const forgetPeer = (peer: Peer) => {
    peers.delete(peer)
    unauthenticated.delete(peer)
    peer.group.delete(peer)
    peer.topics?.forEach((topic) => hub.remove(topic, peer))
    peer.topics = undefined
  }

  const end = (peer: Peer, code: number, reason = '') => {
    forgetPeer(peer)
    peer.socket.close(code, reason)
    setTimeout(() => peer.socket.terminate(), 5_000).unref()
  }

  const connect = async (peer: Peer, data: Extract<ClientFrame, { type: 'connect' }>['data']): Promise<void> => {
    const deny = () => {
      parts.misses.take(peer.address)
      peer.socket.send(failure(401, unauthorized))
      end(peer, socketClose.unauthorized)
    }
    const key = await parts.keys.find(data.api_key)
    if (!key) return deny()
    const given = data.authorization_signature
    const signed = given === undefined ? undefined : parseSignature(given)
    const hasValidSignature =
      signed?.apiKey === data.api_key && isSignedBy(key.secret, textToSign('GET', '/ws', signed.timestamp), signed, parts.clock())
    if (given !== undefined && !hasValidSignature) return deny()
    peer.organizationId = key.organizationId
    peer.apiKey = data.api_key
    unauthenticated.delete(peer)
    peer.isSigned = hasValidSignature
    peer.socket.send(connectedFrame)
  }

  const subscribe = async (
    peer: Peer,
    organizationId: string,
    { order_id: orderId, include_unsigned: unsigned = false }: Extract<ClientFrame, { type: 'subscribe' }>['data'],
  ): Promise<void> => {
    if (orderId === undefined && !peer.isSigned) {
      peer.socket.send(failure(403, 'Subscribing to the whole organisation takes a signed connect.'))
      return
    }
    if ((peer.topics?.size ?? 0) >= socketLimits.subscriptions) return end(peer, socketClose.policy, 'too many subscriptions')
    if (orderId !== undefined && !(await parts.isOrderOf(organizationId, orderId))) {
      const seconds = parts.misses.take(peer.address)
      peer.socket.send(
        seconds > 0
          ? failure(429, `Too many requests. Try again in ${seconds} s.`, orderId)
          : failure(404, 'There is no such order.', orderId),
      )
      return
    }
    if (!peers.has(peer)) return
    // A peer has one subscription to its organisation, and the newest one decides whether it includes unsigned orders.
    if (orderId === undefined) forget(peer, organizationTopic(organizationId, !unsigned))
    const topic = orderId === undefined ? organizationTopic(organizationId, unsigned) : orderTopic(orderId)
    peer.topics ??= new Set()
    peer.topics.add(topic)
    hub.add(topic, peer)
    peer.socket.send(subscription(orderId, 'subscribed'))
  }

  const forget = (peer: Peer, topic: string): void => {
    peer.topics?.delete(topic)
    hub.remove(topic, peer)
  }

  const unsubscribe = (peer: Peer, organizationId: string, orderId: string | undefined): void => {
    if (orderId === undefined) for (const unsigned of [true, false]) forget(peer, organizationTopic(organizationId, unsigned))
    else forget(peer, orderTopic(orderId))
    peer.socket.send(subscription(orderId, 'unsubscribed'))
  }

  const receive = async (peer: Peer, text: string): Promise<void> => {
    const frame = parseFrame(text)
    if (!frame) {
      peer.socket.send(failure(400, 'Not a frame of this protocol.'))
      return
    }
    const { type, data } = frame
    if (type === 'connect') {
      if (peer.organizationId !== undefined) peer.socket.send(failure(409, 'This connection is authenticated already.'))
      else await connect(peer, data)
      return
    }
    if (peer.organizationId === undefined) {
      peer.socket.send(failure(401, 'Send a connect frame first.'))
      return end(peer, socketClose.unauthorized)
    }
    if (type === 'subscribe') await subscribe(peer, peer.organizationId, data)
    else unsubscribe(peer, peer.organizationId, data.order_id)
  }

  const accept = (socket: WebSocket, stream: Duplex, request: IncomingMessage) => {
    let order = Promise.resolve()
    const peer: Peer = {
      socket,
      stream,
      address: parts.addressOf(request),
      isSigned: false,
      topics: undefined,
      unanswered: 0,
      frames: 0,
      openedAt: performance.now(),
      group: groups[arrivals++ % groups.length]!,
      send(bytes) {
        if (socket.bufferedAmount > socketLimits.waitingBytes) end(peer, socketClose.tryLater, 'too slow')
        else socket.send(bytes, { binary: false })
      },
    }
    peers.add(peer)
    unauthenticated.add(peer)
    peer.group.add(peer)
    /** Counts frames on arrival, since waiting ones use memory, as do our replies to the pings of a client that does not read. */
    const isTooMany = (): boolean => {
      if (++peer.frames === framesPerTurn + 1) end(peer, socketClose.policy, 'too many frames')
      return peer.frames > framesPerTurn
    }
    socket.on('pong', () => {
      peer.unanswered = 0
      isTooMany()
    })
    socket.on('ping', isTooMany)
    socket.on('error', () => forgetPeer(peer))
    socket.on('close', () => forgetPeer(peer))
    socket.on('message', (data: Buffer, isBinary: boolean) => {
      if (isTooMany()) return
      if (isBinary) return end(peer, 1003, 'text frames only')
      // Frames of one connection are handled in order, so that a subscribe frame finds the result of the connect frame before it.
      order = order.then(() => (peers.has(peer) ? receive(peer, data.toString()) : undefined)).catch(() => end(peer, 1011, 'try again'))
    })
  }

  /** Each tick of this timer pings one group of peers, since pinging thousands at once would delay every other client. */
  const sweep = setInterval(() => {
    groups[turn++ % groups.length]?.forEach(ping)
    const now = performance.now()
    for (const peer of unauthenticated) {
      if (now - peer.openedAt <= socketLimits.connectWithinMs) break
      end(peer, socketClose.tooSlow)
    }
  }, turnEveryMs)

  const ping = (peer: Peer) => {
    peer.frames = 0
    if (peer.unanswered >= 2) {
      forgetPeer(peer)
      peer.socket.terminate()
      return
    }
    peer.unanswered++
    // Corking sends the protocol ping and the ping frame in one write, since the system call is most of their cost.
    peer.stream.cork()
    peer.socket.ping()
    if (peer.organizationId !== undefined) peer.socket.send(pingFrame, { binary: false })
    peer.stream.uncork()
  }

  let isChecking = false
  /** Closes the connections of keys that were switched off. One statement checks all keys, however many connections there are. */
  const checkKeys = async (): Promise<void> => {
    if (isChecking) return
    isChecking = true
    try {
      const asked = new Set([...peers].flatMap(({ apiKey }) => apiKey ?? []))
      if (asked.size === 0) return
      const active = await parts.keys.active([...asked])
      for (const peer of peers) {
        if (peer.apiKey === undefined || !asked.has(peer.apiKey) || active.has(peer.apiKey)) continue
        peer.socket.send(failure(401, unauthorized))
        end(peer, socketClose.unauthorized)
      }
    } finally {
      isChecking = false
    }
  }
  // A failed check is ignored: without the database there are no events to send either, and the next round checks again.
  const keyRounds = setInterval(() => void checkKeys().catch(() => undefined), socketLimits.checkKeysEveryMs)

  const onUpgrade = (request: IncomingMessage, stream: Duplex, head: Buffer) => {
    const refuse = (status: string) => closeWithResponse(stream, `HTTP/1.1 ${status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`)
    if ((request.url ?? '').split('?')[0] !== parts.path) return refuse('404 Not Found')
    if (parts.connections) {
      const release = parts.connections.socket(request.socket.remoteAddress ?? '', forwardedFor(request))
      if (!release) return refuse('429 Too Many Requests')
      stream.once('close', release)
    }
    stream.on('error', () => stream.destroy())
    wss.handleUpgrade(request, stream, head, (socket) => accept(socket, stream, request))
  }
  server.on('upgrade', onUpgrade)

  return {
    count: () => peers.size,
    dropConnections(orderId) {
      const dropped = [...peers].filter(({ topics }) => topics?.has(orderTopic(orderId)))
      for (const peer of dropped) {
        forgetPeer(peer)
        peer.socket.terminate()
      }
      return dropped.length
    },
    async close() {
      clearInterval(sweep)
      clearInterval(keyRounds)
      server.off('upgrade', onUpgrade)
      const open = [...peers]
      const gone = Promise.all(open.map((peer) => new Promise<void>((resolve) => peer.socket.once('close', () => resolve()))))
      for (const peer of open) end(peer, socketClose.shuttingDown, 'the service is stopping')
      await Promise.race([gone, new Promise((resolve) => setTimeout(resolve, 2_000).unref())])
      for (const peer of open) peer.socket.terminate()
      wss.close()
    },
  }
}
