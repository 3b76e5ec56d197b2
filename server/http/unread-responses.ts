import type { Socket } from 'node:net'

export interface UnreadLimits {
  readonly perAddress: number
  readonly inAll: number
}

export interface UnreadResponses {
  /** Counts the bytes of a response that its client has not read. The returned function must be called when they are gone. */
  hold(address: string, socket: Socket, bytes: number): () => void
}

interface Held {
  bytes: number
  readonly sockets: Set<Socket>
}

/** Limits the memory of unread responses per IP address and in all. When all is used, the IP address with the most is disconnected. */
export function unreadResponses({ perAddress, inAll }: UnreadLimits): UnreadResponses {
  const held = new Map<string, Held>()
  let total = 0
  const largest = (): Held | undefined =>
    [...held.values()].reduce<Held | undefined>((a, b) => (a && a.bytes >= b.bytes ? a : b), undefined)
  return {
    hold(address, socket, bytes) {
      const share = held.get(address) ?? { bytes: 0, sockets: new Set() }
      held.set(address, share)
      share.bytes += bytes
      share.sockets.add(socket)
      total += bytes
      if (share.bytes > perAddress) socket.destroy()
      else if (total > inAll) for (const other of largest()?.sockets ?? []) other.destroy()
      return () => {
        share.bytes -= bytes
        share.sockets.delete(socket)
        total -= bytes
        if (share.sockets.size === 0) held.delete(address)
      }
    },
  }
}
