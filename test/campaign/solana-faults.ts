import { setTimeout as sleep } from 'node:timers/promises'
import { laggingNode } from '../chains/solana/lagging-node.ts'
import type { Behavior, Lie } from '../chains/solana/node-proxy.ts'
import { untilOrder } from '../support/orders/payments.ts'
import type { SocketBehavior } from '../chains/solana/socket-proxy.ts'
import type { Random } from '../support/random.ts'
import type { Fault, Outage } from './faults.ts'
import type { SolanaChain } from './solana-chain.ts'
import { openOnSolana, usdcOnSolana } from './solana-order.ts'

/** What is final has 31 blocks after it, and no fork goes behind it. */
const mostDepth = 25

/** `start` begins the fault. The function that it returns ends it and counts what it affected. */
const lasting = (outage: Outage | undefined, start: (solana: SolanaChain, random: Random) => () => number): Fault => ({
  ...(outage && { outage }),
  needs: 'in USDC on Solana',
  begin: async ({ solana }, random) => {
    const end = start(solana, random)
    return async () => end()
  },
})

const node = (behaviorOf: (random: Random, solana: SolanaChain) => Behavior): Fault =>
  lasting('dead node', (solana, random) => solana.proxy.become(behaviorOf(random, solana)))

const garbage: Lie = async (calls) => calls.map(({ id }) => ({ id, result: { value: ['an answer to another question'] } }))

const busy: Lie = async (calls) => calls.map(({ id }) => ({ id, error: { code: -32_005, message: 'the node is behind' } }))

/** Below the service's time-out, so every answer arrives and all of them are old. */
const slow =
  (delayMs: number): Lie =>
  async (_, ask) => {
    const answers = await ask()
    await sleep(delayMs)
    return answers
  }

/** Says all the time that every account has changed. */
const ringing: SocketBehavior = (send, received) => {
  const { id } = JSON.parse(received) as { id: number }
  send(JSON.stringify({ jsonrpc: '2.0', id, result: id }))
  for (let i = 0; i < 100; i++) send(JSON.stringify({ jsonrpc: '2.0', method: 'accountNotification', params: { subscription: id } }))
}

/** The transactions of the dropped blocks are in none until whoever needs them sends them again. */
function fork({ local }: SolanaChain, random: Random): number {
  const depth = random.int(1, mostDepth)
  local.node.ledger.fork(depth)
  return depth
}

function skip({ local }: SolanaChain, random: Random): number {
  const slots = random.int(1, 60)
  local.node.ledger.skip(slots)
  return slots
}

/** What can happen to the Solana cluster and the service's node. A new fault is a new entry. */
export const solanaFaults: Readonly<Record<string, Fault>> = {
  'the Solana node is silent': node(() => 'silent'),
  'the Solana node fails': node((random) => random.pick(['failing', 'dropping', busy, garbage])),
  'the Solana node lags': node((random, { local }) => laggingNode(local.node.ledger, random.int(1, 2 * mostDepth))),
  'the Solana node is slow': node((random) => slow(random.int(200, 1_000))),
  // It only wakes the service, so nothing is excused.
  'the socket of the Solana node fails or lies': lasting(undefined, ({ socket }, random) => {
    const clients = socket.clients()
    const before = socket.connectedAt.length
    socket.become(random.pick(['closing', 'hanging', 'silent', ringing]))
    return () => {
      socket.become(undefined)
      return clients + socket.connectedAt.length - before
    }
  }),
  'the Solana cluster switches to another fork': lasting('reorganisation', (solana, random) => {
    const depth = fork(solana, random)
    return () => depth + fork(solana, random)
  }),
  'the Solana cluster skips slots': lasting(undefined, (solana, random) => {
    const slots = skip(solana, random)
    return () => slots + skip(solana, random)
  }),
  'the Solana cluster stands still': lasting('slow blocks', ({ local }) => {
    let resume: () => void = () => undefined
    const resumed = new Promise<void>((resolve) => (resume = resolve))
    const { slot } = local.node.ledger.tip('processed')
    void local.node.byHand(() => resumed)
    return () => {
      resume()
      return slot
    }
  }),
  'a fork takes a payment on Solana back': {
    outage: 'reorganisation',
    begin: async ({ solana: { local, hostilePayer }, hostile }, random) => {
      const { ledger } = local.node
      const { id, deposit, required } = await openOnSolana(hostile.client, '40', usdcOnSolana)
      const depth = random.int(1, mostDepth)
      await local.node.byHand(async () => {
        const signature = await hostilePayer.payInOpenBlock(usdcOnSolana, deposit, required)
        ledger.advance(depth)
        // A service that is down meanwhile finds only what happened after.
        await untilOrder(
          hostile.client,
          id,
          ({ payment }) => payment?.funding?.transactions.some(({ tx_hash }) => tx_hash === signature) === true,
          2_000,
        ).catch(() => undefined)
        ledger.fork(depth)
      })
      hostile.paid.push({ orderId: id, ends: ({ status }) => status === 'AWAITING_PAYMENT' || status === 'EXPIRED' })
      return async () => depth
    },
  },
}
