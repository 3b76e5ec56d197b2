import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { connect, sourceOf } from '../../../local/bitcoin/find-bitcoind.ts'
import { startBitcoind } from '../../../local/bitcoin/start-bitcoind.ts'
import type { KillableNode } from '../../contracts/bitcoin-node.ts'
import { root } from '../root.ts'

/** Starts the real node that the environment names as a program, or our own in a process of its own. A node that was killed resumes its folder. */
export async function killableBitcoinNode(folder: string): Promise<KillableNode> {
  const source = sourceOf(process.env)
  if (source.is !== 'program') return ownNodeProcess(folder)
  const bitcoind = await startBitcoind({ program: source.program, folder })
  return { ...(await connect(bitcoind)), kill: bitcoind.kill }
}

/** Runs our node as a program, as a real one is. */
export async function ownNodeProcess(folder: string): Promise<KillableNode> {
  const child = spawn(process.execPath, ['--import', 'tsx', join(root, 'test/local/bitcoin-node-process.ts'), folder], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const [url]: string[] = await once(createInterface(child.stdout), 'line')
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal)
    await ended
  }
  return { ...(await connect({ url: url!, stop: () => end('SIGTERM') })), kill: () => end('SIGKILL') }
}
