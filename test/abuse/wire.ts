import { connect, type Socket } from 'node:net'

/** A raw TCP connection to a service. HTTP clients would normalise what is sent. */
export interface Connection {
  readonly socket: Socket
  write(text: string | Uint8Array): void
  received(): string
  /** Resolves with everything received once the socket is fully closed, not only half-closed. */
  readonly gone: Promise<string>
  close(): void
}

export async function openConnection(baseUrl: string): Promise<Connection> {
  const { hostname, port } = new URL(baseUrl)
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true })
  let received = ''
  socket.setEncoding('latin1').on('data', (chunk: string) => (received += chunk))
  socket.on('error', () => undefined)
  const gone = new Promise<string>((resolve) => socket.once('close', () => resolve(received)))
  socket.once('end', () => {
    const probe = setInterval(() => socket.write('\r\n'), 50)
    socket.once('close', () => clearInterval(probe))
  })
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve)
    socket.once('error', reject)
  })
  return { socket, write: (text) => void socket.write(text), received: () => received, gone, close: () => socket.destroy() }
}

/** Sends one request as these exact bytes and returns everything received before the end. */
export async function exchange(baseUrl: string, lines: readonly string[], body: string | Uint8Array = ''): Promise<string> {
  const connection = await openConnection(baseUrl)
  connection.write(`${lines.join('\r\n')}\r\n\r\n`)
  connection.write(body)
  await new Promise<void>((resolve) => {
    connection.socket.once('end', resolve)
    connection.socket.once('close', () => resolve())
  })
  connection.close()
  return connection.received()
}

export const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1])
export const bodyOf = (answer: string): string => answer.slice(answer.indexOf('\r\n\r\n') + 4)
/** Counts responses: more than one means that part of a request was taken for another. */
export const answersIn = (text: string): number => text.match(/HTTP\/1\.1 \d{3} /g)?.length ?? 0
