import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/**
 * The address that payers and merchants know, in front of every process: what a load balancer and a bad network do to connections.
 * It hands on the address from which somebody came, so that a stranger at another loopback address is one to the service.
 */
export interface FrontDoor {
  readonly url: string
  /** Ports that are tried in turn; one that refuses is passed over. */
  targets: readonly number[]
  /** Ends every connection without a word. How many there were. */
  cut(): number
  /** From now on nothing comes through in either direction, and nobody is told. Returns how to let go, which says how much had waited. */
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
