import { createServer } from 'node:net'

/** Below the range that systems lend to outgoing connections: a process that is killed finds its port again when it is back. */
const [lowest, highest] = [20_000, 32_000]

/** A port of this machine on which nobody listens. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = lowest + Math.floor(Math.random() * (highest - lowest))
    if (await isFree(port)) return port
  }
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
