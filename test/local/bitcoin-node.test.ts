import { afterAll } from 'vitest'
import { connect, findBitcoind, sourceOf, type BitcoinNode } from '../../local/bitcoin/find-bitcoind.ts'
import { startBitcoind } from '../../local/bitcoin/start-bitcoind.ts'
import { startBitcoinNode } from '../../local/bitcoin/start-bitcoin-node.ts'
import { bitcoinNodeContract, type KillableNode } from '../contracts/bitcoin-node.ts'
import { bitcoinNodesAgree } from '../contracts/bitcoin-nodes-agree.ts'
import { ownNodeProcess } from '../support/service/killable-bitcoin-node.ts'

const ran: string[] = []
async function recorded(started: Promise<BitcoinNode>): Promise<BitcoinNode> {
  const node = await started
  ran.push(node.name)
  return node
}

bitcoinNodeContract('ours', {
  start: () => recorded(startBitcoinNode().then(connect)),
  restarts: { start: (folder) => startBitcoinNode({ folder }).then(connect), startKillable: ownNodeProcess },
})

const source = sourceOf(process.env)
if (source.is === 'running') bitcoinNodeContract(source.url, { start: () => recorded(findBitcoind(process.env)) })
if (source.is === 'program') {
  const startKillable = async (folder?: string): Promise<KillableNode> => {
    const bitcoind = await startBitcoind({ program: source.program, folder })
    return { ...(await connect(bitcoind)), kill: bitcoind.kill }
  }
  bitcoinNodeContract(source.program, {
    start: () => recorded(findBitcoind(process.env)),
    restarts: { start: startKillable, startKillable },
  })
  bitcoinNodesAgree(source.program)
}

afterAll(() => console.log(`The Bitcoin node contract ran on ${ran.join(' and ')}.`))
