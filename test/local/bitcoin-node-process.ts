import { startBitcoinNode } from '../../local/bitcoin/start-bitcoin-node.ts'

/** Runs our node in a process of its own, which a test can kill. It prints its URL. */
const [, , folder] = process.argv
const node = await startBitcoinNode({ folder })
console.log(node.url)
process.once('SIGTERM', () => void node.stop().then(() => process.exit()))
// Its input ends with the process that started it.
process.stdin.once('end', () => process.exit()).resume()
