import { type BitcoinNode, connect, findBitcoind, sourceOf } from '../../../local/bitcoin/find-bitcoind.ts'
import { startBitcoinNode } from '../../../local/bitcoin/start-bitcoin-node.ts'

export interface NodeToTest {
  readonly name: string
  start(): Promise<BitcoinNode>
}

const source = sourceOf(process.env)
const real = source.is === 'running' ? source.url : source.is === 'program' ? source.program : undefined

/** Suites run on our own node always, and also on a real one where there is one. */
export const bitcoinNodes: readonly NodeToTest[] = [
  { name: 'our node', start: async () => connect(await startBitcoinNode()) },
  ...(real === undefined ? [] : [{ name: real, start: () => findBitcoind(process.env) }]),
]

/** Remembers what the nodes call themselves, for the last line of a run. */
export function recordNodes() {
  const names = new Set<string>()
  return {
    async recorded<T extends Pick<BitcoinNode, 'name'>>(started: T | Promise<T>): Promise<T> {
      const node = await started
      names.add(node.name)
      return node
    },
    say: (what: string): void => console.log(`${what} ran on ${[...names].join(' and ')}.`),
  }
}
