import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/**
 * The public address of the service. It stands for a load balancer on a bad network, and forwards the caller's address, so that another
 * loopback address counts as another caller.
 */
export interface FrontDoor {
  readonly url: string
  /** Ports are tried in turn, and one that refuses is skipped. */
  targets: readonly number[]
  /** Destroys every connection and returns how many there were. */
  cut(): number
  /** Stalls both directions without closing anything. The returned function resumes and says how many connections were stalled. */
  hold(): () => number
  close(): Promise<void>
}

export async function startFrontDoor(): Promise<FrontDoor> {
  const sockets = new Set<Socket>()
  let held: (() => void)[] | undefined
  let turn = 0

  const reach = (ports: readonly number[], from: Socket): void => {
    const [port, ...others] = ports
    if (port === undefined || from.destroyed) return void from.destroy()
    const to = connect({ host: '127.0.0.1', port, localAddress: from.remoteAddress })
    to.once('error', () => reach(others, from))
    to.once('connect', () => {
      to.removeAllListeners('error')
      join(from, to)
    })
  }
  const join = (socket: Socket, other: Socket): void => {
    for (const [from, to] of [
      [socket, other],
      [other, socket],
    ] as const) {
      sockets.add(from)
      const pass = (act: () => void) => (held ? held.push(act) : act())
      from.setNoDelay(true)
      from.on('data', (bytes) => pass(() => to.writable && to.write(bytes)))
      from.on('end', () => pass(() => to.end()))
      from.on('error', () => to.destroy())
      from.on('close', () => {
        sockets.delete(from)
        pass(() => to.destroy())
      })
      from.resume()
    }
  }
  const server = createServer({ pauseOnConnect: true, allowHalfOpen: true }, (from) => {
    from.on('error', () => from.destroy())
    const { targets } = door
    const first = turn++ % Math.max(1, targets.length)
    reach([...targets.slice(first), ...targets.slice(0, first)], from)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const cut = () => {
    const open = [...sockets]
    for (const socket of open) socket.destroy()
    return open.length / 2
  }
  const door: FrontDoor = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    targets: [],
    cut,
    hold: () => {
      const waiting: (() => void)[] = (held ??= [])
      return () => {
        held = undefined
        const count = waiting.length
        for (const act of waiting.splice(0)) act()
        return count
      }
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        held = undefined
        cut()
      }),
  }
  return door
}
