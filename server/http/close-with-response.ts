import type { Duplex } from 'node:stream'

const takenWithinMs = 2_000

/** Sends a final response and closes the connection, after two seconds even if it was not read. What still arrives is discarded. */
export function closeWithResponse(stream: Duplex, response: string): void {
  const deadline = setTimeout(() => stream.destroy(), takenWithinMs)
  stream.once('close', () => clearTimeout(deadline))
  stream.on('error', () => stream.destroy())
  stream.resume()
  stream.end(response)
}
