import { randomBytes } from 'node:crypto'
import * as z from 'zod'
import { answer, type Lie, type ProxyBehavior, refusal } from '../chains/bitcoin/node-proxy.ts'
import { untilOrder } from '../support/orders/payments.ts'
import type { Random } from '../support/random.ts'
import type { BitcoinChain } from './bitcoin-chain.ts'
import type { Pace } from './bitcoin-miner.ts'
import { openInBitcoin } from './bitcoin-order.ts'
import type { Fault, Outage } from './faults.ts'

const mostDepth = 3
/** The fallback of the service is 5. */
const spike = { leastRate: 60, estimate: 100 / 1e5, relay: 20 / 1e5 }

const Info = z.looseObject({ blocks: z.number(), bestblockhash: z.string() })
const Memory = z.looseObject({ mempoolminfee: z.number() })

const madeHash = (): string => randomBytes(32).toString('hex')

/** It has not seen the last blocks. */
const lagging =
  (behind: number): Lie =>
  async ({ method, params }, ask) => {
    if (method !== 'getblockchaininfo' && method !== 'getblockhash') return undefined
    const info = Info.parse(await ask('getblockchaininfo'))
    const last = info.blocks - behind
    if (method === 'getblockhash') return Number(params[0]) > last ? refusal(-8) : undefined
    return answer({ ...info, blocks: last, headers: last, bestblockhash: await ask('getblockhash', last) })
  }

/** It names a head that nobody has, or forgets what waits, or names spenders that spend something else. */
const lies: readonly ((random: Random) => Lie)[] = [
  (random) => {
    const ahead = random.int(1, 40)
    return async ({ method }, ask) => {
      if (method !== 'getblockchaininfo') return undefined
      const info = Info.parse(await ask(method))
      return answer({ ...info, blocks: info.blocks + ahead, headers: info.blocks + ahead, bestblockhash: madeHash() })
    }
  },
  () =>
    async ({ method }) =>
      method === 'getrawmempool' ? answer([]) : undefined,
  () =>
    async ({ method, params }) => {
      if (method !== 'gettxspendingprevout') return undefined
      const [outputs] = z.tuple([z.array(z.looseObject({}))]).parse(params)
      return answer(outputs.map((output) => ({ ...output, spendingtxid: madeHash() })))
    },
]

const expensive: Lie = async ({ method }, ask) => {
  if (method === 'estimatesmartfee') return answer({ feerate: spike.estimate, blocks: 3 })
  if (method === 'getmempoolinfo') return answer({ ...Memory.parse(await ask(method)), mempoolminfee: spike.relay })
  return undefined
}

/** `start` begins the fault. The function that it returns ends it and counts what it affected. */
const lasting = (outage: Outage, start: (bitcoin: BitcoinChain, random: Random) => () => number): Fault => ({
  outage,
  needs: 'in bitcoin',
  begin: async ({ bitcoin }, random) => {
    const end = start(bitcoin, random)
    return async () => end()
  },
})

const node = (behaviorOf: (random: Random) => ProxyBehavior): Fault =>
  lasting('dead node', ({ proxy }, random) => proxy.become(behaviorOf(random)))

const pace = (paceOf: (random: Random) => Pace): Fault => lasting('slow blocks', ({ miner }, random) => miner.keepPace(paceOf(random)))

/** What can happen to the Bitcoin chain and its node. A new fault is a new entry. */
export const bitcoinFaults: Readonly<Record<string, Fault>> = {
  'the Bitcoin node is killed': {
    outage: 'dead node',
    needs: 'in bitcoin',
    begin: async ({ bitcoin: chain }) => {
      const restart = await chain.kill()
      return async () => {
        await restart()
        return 1
      }
    },
  },
  'the Bitcoin node is silent': node(() => 'silent'),
  'the Bitcoin node fails': node((random) => random.pick(['failing', 'dropping'])),
  'the Bitcoin node lags': node((random) => lagging(random.int(1, 5))),
  'the Bitcoin node lies': node((random) => random.pick(lies)(random)),
  'the Bitcoin chain is reorganised': {
    outage: 'reorganisation',
    needs: 'in bitcoin',
    begin: async ({ bitcoin: { miner } }, random) => {
      const depth = random.int(1, mostDepth)
      const begun = miner.turns(() => miner.replaceBlocks(depth))
      return async () => {
        await begun
        return depth
      }
    },
  },
  'a payment in bitcoin is double-spent': {
    outage: 'reorganisation',
    begin: async ({ bitcoin: { miner, hostilePayer }, hostile }, random) => {
      const { id, deposit, required } = await openInBitcoin(hostile.client, '80')
      const payment = hostilePayer.prepare(deposit, required)
      const release = miner.withhold(payment.txid)
      await hostilePayer.send(payment)
      const depth = random.int(1, mostDepth)
      await miner.turns(async () => {
        await miner.mineOnly([payment.raw])
        for (let block = 1; block < depth; block++) await miner.mineOnly([])
        const isConfirming = (order: Awaited<ReturnType<typeof untilOrder>>) =>
          order.payment?.funding?.transactions.some(({ confirmations }) => confirmations === depth) === true
        // A service that is down meanwhile finds only what happened after.
        await untilOrder(hostile.client, id, isConfirming, 2_000).catch(() => undefined)
        await miner.replaceBlocks(depth, [hostilePayer.takeBack(payment).raw])
      })
      release()
      hostile.paid.push({ orderId: id, ends: ({ status }) => status === 'AWAITING_PAYMENT' || status === 'EXPIRED' })
      return async () => depth
    },
  },
  'the fees of Bitcoin rise twentyfold': lasting('slow blocks', ({ proxy, miner }) => {
    const ends = [proxy.become(expensive), miner.demand(spike.leastRate)]
    return () => ends.reduce((met, end) => met + end(), 0)
  }),
  'blocks of Bitcoin come slowly': pace((random) => ({ everyMs: random.int(1_500, 4_000), blocks: 1 })),
  'blocks of Bitcoin come in bursts': pace((random) => ({ everyMs: random.int(1_000, 2_500), blocks: random.int(3, 7) })),
}
