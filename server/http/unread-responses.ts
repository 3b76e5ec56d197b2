import type { Socket } from 'node:net'

export interface UnreadLimits {
  readonly perAddress: number
  readonly inAll: number
}

export interface Unread {
  /** Bytes of an answer that its client has not taken yet. The result is called when they are gone. */
  hold(address: string, socket: Socket, bytes: number): () => void
}

interface Held {
  bytes: number
  readonly sockets: Set<Socket>
}

/** How much of our memory is answers that nobody reads: an address has a share of it, and when all is full the largest share is given up. */
export function unreadAnswers({ perAddress, inAll }: UnreadLimits): Unread {
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
      else if (total > inAll) for (const each of largest()?.sockets ?? []) each.destroy()
      return () => {
        share.bytes -= bytes
        share.sockets.delete(socket)
        total -= bytes
        if (share.sockets.size === 0) held.delete(address)
      }
    },
  }
}
