import type { Duplex } from 'node:stream'

const patienceMs = 2_000

/** The last words to a connection. It has two seconds to take them; what it still sends is thrown away, and it cannot stay. */
export function partWith(stream: Duplex, words: string): void {
  const deadline = setTimeout(() => stream.destroy(), patienceMs)
  stream.once('close', () => clearTimeout(deadline))
  stream.on('error', () => stream.destroy())
  stream.resume()
  stream.end(words)
}
