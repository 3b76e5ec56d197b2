import type { Duplex } from 'node:stream'

const takenWithinMs = 2_000

/** Sends a response and disconnects within two seconds. Input is discarded, since unread input would reset the connection. */
export function closeWithResponse(stream: Duplex, response: string): void {
  const deadline = setTimeout(() => stream.destroy(), takenWithinMs)
  stream.once('close', () => clearTimeout(deadline))
  stream.on('error', () => stream.destroy())
  stream.resume()
  stream.end(response)
}
