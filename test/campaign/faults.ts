import { setTimeout as sleep } from 'node:timers/promises'
import { operator, owner } from '../../local/chains/accounts.ts'
import { releaseCall, settleCall } from '../../server/chains/evm/factory-calls.ts'
import { sell } from '../support/orders/market.ts'
import { checkout, untilStatus } from '../support/orders/payments.ts'
import { until } from '../support/wait.ts'
import { complete, encoded, sign } from '../incoming/x402/support.ts'
import { startFlood } from './flood.ts'
import { bitcoinFaults } from './bitcoin-faults.ts'
import type { Behavior, Node } from './node.ts'
import type { OpenPage } from './pages.ts'
import type { Random } from '../support/random.ts'
import type { EndpointBehavior } from './receiver.ts'
import { solanaFaults } from './solana-faults.ts'
import { hostilePayer } from './wallets.ts'
import { confirmations, type CampaignChain, type World } from './world.ts'

export interface Fault {
  /** Starts the fault. The returned function ends it and counts what it affected; zero means that nothing was tested. */
  readonly begin: (world: World, random: Random) => Promise<() => Promise<number>>
  /** The reason why payments may be late during the fault. Without one, no honest payer may notice it. */
  readonly outage?: Outage
  /** The kind of payment without which the fault affects nothing. */
  readonly needs?: string
}

export type Outage = 'crash' | 'reorganisation' | 'dead node' | 'dead line' | 'slow blocks' | 'no market'

const node = (behaviorOf: (random: Random) => Behavior): Fault => ({
  outage: 'dead node',
  begin: async ({ base, ethereum }, random) => {
    const nodes: readonly Node[] = random.int(0, 2) === 0 ? [base.node, ethereum.node] : [base.node]
    const fair = nodes.map((target) => target.become(behaviorOf(random)))
    return async () => fair.reduce((met, end) => met + end(), 0)
  },
})

const receiver = (behavior: EndpointBehavior): Fault => ({
  begin: async ({ merchant }) => {
    const well = merchant.receiver.behave(behavior)
    return async () => well()
  },
})

const clock = (offsetMs: (random: Random) => number): Fault => ({
  begin: async ({ processes }, random) => {
    const target = random.pick(processes)
    target.shiftClock(offsetMs(random))
    return async () => {
      target.shiftClock(0)
      return 1
    }
  },
})

/** Returns when a conversion has failed since, or when there was none to fail. */
async function conversionsFailed({ sql }: World, since: number): Promise<number> {
  const count = async () => (await failedSettlements(sql)) - since
  return until(async () => (await count()) || undefined, { timeout: 3_000 }).catch(() => 0)
}
async function failedSettlements(sql: World['sql']): Promise<number> {
  const rows = await until(() => sql<{ n: number }[]>`select count(*)::int as n from facts where fact->>'type' = 'settlement_failed'`, {
    timeout: 60_000,
  })
  return rows[0]!.n
}

interface Receipt {
  readonly status: string
  readonly logs: readonly { readonly address: string; readonly topics: readonly string[]; readonly data: string }[]
}

/** Sells at the chain's exchange, and returns how much of the other token that has brought the seller. Null is the coin, whose amount is not returned. */
async function trade(onChain: CampaignChain, sold: string | null, bought: string | null, amount: bigint): Promise<bigint> {
  let sent: string | undefined
  const receipt = await until(
    async () => {
      sent ??= await sell(onChain, owner, sold, bought, amount)
      const hash = sent
      const [mined] = await until(
        async () => {
          const answers = await onChain.anvil.ask(['eth_getTransactionReceipt', hash])
          return answers[0] ? (answers as [Receipt]) : undefined
        },
        { timeout: 30_000, every: 20 },
      )
      if (mined.status === '0x1') return mined
      // Another fault has kept the router from trading. Only then is the trade sent again, which would move the market twice otherwise.
      sent = undefined
      return undefined
    },
    { timeout: 120_000, every: 200, what: 'a trade' },
  )
  const [transfer] = receipt.logs.filter(
    ({ address, topics }) => address === bought?.toLowerCase() && topics[2]?.endsWith(owner.address.slice(2).toLowerCase()),
  )
  return BigInt(transfer?.data ?? 0)
}

const page = (begin: (page: OpenPage) => Promise<() => Promise<unknown>>): Fault => ({
  needs: 'in front of the page',
  begin: async ({ pages }) => {
    const watched = await until(() => pages.open.at(-1), { timeout: 60_000, what: 'a page is open' })
    const end = await begin(watched)
    return async () => {
      await end()
      return 1
    }
  },
})

/** Every fault that the service promises to survive. A new fault is a new entry. */
export const faults: Readonly<Record<string, Fault>> = {
  'a process is killed': {
    outage: 'crash',
    begin: async ({ processes, door }, random) => {
      const target = random.pick(processes)
      await target.kill9()
      door.targets = processes.filter((other) => other !== target).map(({ port }) => port)
      return async () => {
        await target.start()
        door.targets = processes.map(({ port }) => port)
        return 1
      }
    },
  },
  'all processes are killed': {
    outage: 'crash',
    begin: async ({ processes }) => {
      await Promise.all(processes.map((target) => target.kill9()))
      return async () => {
        await Promise.all(processes.map((target) => target.start()))
        return processes.length
      }
    },
  },
  'Postgres restarts': {
    outage: 'crash',
    begin: async ({ database }) => {
      await database.restart()
      return async () => 1
    },
  },
  'Postgres crashes': {
    outage: 'crash',
    begin: async ({ database }) => {
      await database.crash()
      return async () => 1
    },
  },
  'the node is silent': node(() => ({ is: 'silent' })),
  'the node fails': node(() => ({ is: 'failing' })),
  'the node drops connections': node(() => ({ is: 'dropping' })),
  'the node stands still': node(() => ({ is: 'frozen' })),
  'the node goes back': node((random) => ({ is: 'behind', blocks: random.int(1, 9), everySecond: false })),
  'nodes disagree': node((random) => ({ is: 'behind', blocks: random.int(1, 9), everySecond: true })),
  'the node names blocks that nobody has': node((random) => ({ is: 'ahead', blocks: random.int(1, 40) })),
  'the chain is reorganised': {
    outage: 'reorganisation',
    begin: async ({ base }, random) => {
      const depth = random.int(1, 5)
      await reorganise(base, depth)
      return async () => depth
    },
  },
  'the chain is reorganised twice': {
    outage: 'reorganisation',
    begin: async ({ base }, random) => {
      await reorganise(base, random.int(1, 5))
      return async () => {
        const depth = random.int(1, 5)
        await reorganise(base, depth)
        return depth
      }
    },
  },
  'the clock of the chain jumps': {
    begin: async ({ base }, random) => {
      await base.anvil.ask(['evm_increaseTime', random.int(5, 60)])
      return async () => 1
    },
  },
  'a clock is wrong': clock((random) => random.pick([-1, 1]) * random.int(20_000, 120_000)),
  'a clock is far ahead': clock((random) => random.int(35, 600) * 60_000),
  'a clock is far behind': clock((random) => -random.int(35, 600) * 60_000),
  'connections are cut': {
    begin: async ({ door }) => {
      const first = door.cut()
      return async () => first + door.cut()
    },
  },
  'the network holds everything back': {
    outage: 'dead line',
    begin: async ({ door }) => {
      const release = door.hold()
      return async () => release()
    },
  },
  'a browser freezes': page(async ({ devtools }) => {
    await devtools.send('Emulation.setFocusEmulationEnabled', { enabled: false })
    await devtools.send('Page.setWebLifecycleState', { state: 'frozen' })
    return () => devtools.send('Page.setWebLifecycleState', { state: 'active' })
  }),
  'a browser goes offline': page(async ({ context }) => {
    await context.setOffline(true)
    return () => context.setOffline(false)
  }),
  'the receiver answers 500': receiver('failing'),
  'the receiver hangs': receiver('hanging'),
  'the receiver redirects': receiver('redirecting'),
  'the receiver closes': receiver('closing'),
  'gas-burning wallet': {
    begin: async ({ sql, hostile }) => {
      const { baseUrl } = hostile.client
      const signed = await Promise.all(
        Object.values(hostile.burners).map(async (from) => {
          const { id } = await hostile.client.ask('createOrder', { body: { mode: 'SALE', amount: '10', fiat_unit: 'usd' } })
          const offer = await until(async () => (await complete(baseUrl, id)).required?.accepts[0], { timeout: 60_000, what: 'an offer' })
          return { id, header: encoded(await sign(offer, { payer: hostilePayer, from })) }
        }),
      )
      const stopping = new AbortController()
      let refused = 0
      const retries = signed.map(async ({ id, header }) => {
        while (!stopping.signal.aborted) {
          // A killed process and a cut connection return no answer.
          const answer = await complete(baseUrl, id, header).catch(() => undefined)
          if (answer?.required?.error === 'gas_limit_exceeded') refused++
          await sleep(50)
        }
      })
      return async () => {
        stopping.abort()
        await Promise.all(retries)
        const ids = signed.map(({ id }) => id)
        const sends = await until(() => sql`select 1 from sends where kind = 'x402' and order_id = any(${ids})`, { timeout: 60_000 })
        return refused + sends.length
      }
    },
  },
  dust: {
    needs: 'after dust of a stranger',
    begin: async ({ base, hostile }, random) => {
      const order = await dollarOrder(hostile)
      const transfers = random.int(150, 300)
      const dust = await hostile.wallet.scatter(base.token('USDC'), order.deposit, 1n, transfers)
      return async () => {
        const mined = await base.anvil.ask(...dust.map((hash) => ['eth_getTransactionReceipt', hash] as const))
        await hostile.wallet.pay(base.token('USDC'), order.deposit, order.required - BigInt(transfers))
        hostile.paid.push({ orderId: order.id, ends: ({ status }) => status === 'COMPLETED' })
        return mined.filter(Boolean).length
      }
    },
  },
  'silent receivers': {
    begin: async ({ hostile }, random) => {
      const activate = (active: boolean) =>
        Promise.all(hostile.webhookIds.map((id) => hostile.client.ask('changeWebhook', { params: { webhook_id: id }, body: { active } })))
      const answerAgain = hostile.receiver.behave('hanging')
      await activate(true)
      await Promise.all(Array.from({ length: random.int(20, 40) }, () => dollarOrder(hostile)))
      return async () => {
        await activate(false)
        return answerAgain()
      }
    },
  },
  'throwing order': {
    begin: async ({ sql, base, hostile }) => {
      const order = await dollarOrder(hostile)
      const [row] = await until(() => sql`select (state->'quotes')::text as quotes from orders where id = ${order.id}`, { timeout: 60_000 })
      await until(() => sql`update orders set state = state - 'quotes' where id = ${order.id}`, { timeout: 60_000 })
      await hostile.wallet.pay(base.token('USDC'), order.deposit, order.required)
      hostile.paid.push({ orderId: order.id, ends: ({ status }) => status === 'COMPLETED' })
      const isAside = async () => (await sql`select 1 from set_aside where order_id = ${order.id}`).length > 0
      await until(isAside, { timeout: 60_000, what: `${order.id} is set aside` })
      return async () => {
        const { quotes } = row!
        await until(() => sql`update orders set state = jsonb_set(state, '{quotes}', ${quotes}::text::jsonb) where id = ${order.id}`, {
          timeout: 60_000,
        })
        return 1
      }
    },
  },
  'deep reorganisation': {
    outage: 'reorganisation',
    begin: async (world, random) => {
      const { base, hostile, sql } = world
      const order = await dollarOrder(hostile)
      const hash = await hostile.wallet.pay(base.token('USDC'), order.deposit, order.required)
      await untilStatus(hostile.client, order.id, 'COMPLETED', 60_000)
      const gone = random.pick(['the settlement', 'the payment too', 'the payment for good'] as const)
      const isIdle = async () =>
        (await sql`select 1 from sends where chain_id = 8453 and state not in ('confirmed', 'refused')`).length === 0
      const depth = await until(
        () =>
          base.turns(async () => {
            if (!(await isIdle())) return undefined
            const [send] = await sql<{ block: number }[]>`select mined_block::int as block from sends where order_id = ${order.id}`
            const [receipt] = (await base.anvil.ask(['eth_getTransactionReceipt', hash])) as [{ blockNumber: string }]
            const { number } = await base.chain.head(AbortSignal.timeout(5_000))
            const first = gone === 'the settlement' ? send!.block : Number(receipt.blockNumber)
            const deep = Math.max(confirmations + 1, number - first + 1)
            const undone = await sql<{ id: string }[]>`
              select order_id as id from sends where chain_id = 8453 and mined_block > ${number - deep}`
            for (const { id } of undone) world.undone.add(id)
            await takeBlocks(world.base, deep, gone === 'the payment for good' ? hash : undefined)
            if (gone === 'the payment for good') await hostile.wallet.takeBack(hash)
            return deep
          }),
        { timeout: 60_000, every: 20, what: 'nothing is being sent' },
      )
      if (gone === 'the payment for good') hostile.takenBack.add(order.id)
      hostile.paid.push({
        orderId: order.id,
        ends: ({ status }) =>
          gone === 'the payment for good' ? status === 'AWAITING_PAYMENT' || status === 'EXPIRED' : status === 'COMPLETED',
      })
      return async () => depth
    },
  },
  'a stolen key settles': {
    begin: async ({ base, hostile }, random) => {
      const order = await dollarOrder(hostile)
      hostile.moved.add(order.id)
      await hostile.wallet.pay(base.token('USDC'), order.deposit, order.required)
      const terms = order.created.terms!
      const parts = random.pick([[order.required], [order.required / 3n], [1n, order.required / 2n]])
      for (const toRecipient of parts) await hostile.steal(base, settleCall({ terms, ...dollarsAt(base), toRecipient, fee: 0n }))
      hostile.paid.push({ orderId: order.id, ends: ({ status }) => status === 'COMPLETED' })
      return async () => parts.length
    },
  },
  'a stranger releases': {
    begin: async ({ ethereum, hostile }, random) => {
      const source = { chain_id: 1, address: ethereum.token('USDC') }
      const order = await checkout(hostile.client, { amount: '10', fiat_unit: 'usd' }, { source })
      hostile.moved.add(order.id)
      const terms = order.created.terms!
      const first = order.required / BigInt(random.int(2, 5))
      await hostile.walletOnEthereum.pay(ethereum.token('USDC'), order.deposit, first)
      await passTime(ethereum, terms.release_at)
      await hostile.steal(ethereum, releaseCall({ terms, ...dollarsAt(ethereum) }))
      await hostile.walletOnEthereum.pay(ethereum.token('USDC'), order.deposit, order.required - first)
      hostile.paid.push({ orderId: order.id, ends: ({ status }) => status === 'COMPLETED' })
      return async () => 1
    },
  },
  /** It never falls below the price at which an order was priced without coming back, since such an order could only be refunded. */
  'the market falls and comes back': {
    outage: 'no market',
    needs: 'in the native coin',
    begin: async (world) => {
      const { base } = world
      const since = await failedSettlements(world.sql)
      const dollars = await trade(base, null, base.token('USDC'), 150n * 10n ** 18n)
      return async () => {
        const failed = await conversionsFailed(world, since)
        // The exchange keeps its fee of both trades, so a little more brings the price back.
        await trade(base, base.token('USDC'), null, (dollars * 101n) / 100n)
        return failed
      }
    },
  },
  'the router fails': {
    outage: 'no market',
    needs: 'in another token',
    begin: async (world) => {
      const since = await failedSettlements(world.sql)
      await world.base.turns(world.base.router.fail)
      return async () => {
        const failed = await conversionsFailed(world, since)
        await world.base.turns(world.base.router.work)
        return failed
      }
    },
  },
  'page flood': {
    begin: async ({ door, hostile }) => {
      const { created } = await dollarOrder(hostile)
      return startFlood(door.url, new URL(created.hosted_url).pathname)
    },
  },
  ...bitcoinFaults,
  ...solanaFaults,
}

const dollarsAt = ({ chain, token }: CampaignChain) => ({ chainId: chain.id, token: token('USDC') })

/** The chain's clock runs ahead from then on, so only a chain on which nobody signs with a deadline can do this. */
async function passTime({ anvil, turns }: CampaignChain, time: number): Promise<void> {
  const [block] = (await anvil.ask(['eth_getBlockByNumber', 'latest', false])) as [{ timestamp: string }]
  const early = time - Number(block.timestamp)
  if (early > 0) await turns(() => anvil.ask(['evm_increaseTime', early + 3_600], ['evm_mine']))
}

const dollarOrder = ({ client }: World['hostile']) => checkout(client, { amount: '10', fiat_unit: 'usd' })

/**
 * Replaces the last blocks with empty ones. As on a real node their transactions return to the pool, except those of the service itself,
 * which must rebroadcast them.
 */
const reorganise = (onChain: CampaignChain, depth: number): Promise<void> => onChain.turns(() => takeBlocks(onChain, depth))

/** Runs while no block is mined. The `takenBack` transaction does not return to the pool either. */
async function takeBlocks({ anvil, wallets, chain, router }: CampaignChain, depth: number, takenBack?: string): Promise<void> {
  const { number } = await chain.head(AbortSignal.timeout(5_000))
  const blocks = (await anvil.ask(
    ...Array.from(
      { length: depth },
      (_, index) => ['eth_getBlockByNumber', `0x${(number - depth + 1 + index).toString(16)}`, true] as const,
    ),
  )) as { transactions: { hash: string; from: string }[] }[]
  const others = blocks
    .flatMap(({ transactions }) => transactions)
    .filter(({ from, hash }) => from.toLowerCase() !== operator.address && hash !== takenBack)
  const raws = others.length > 0 ? await anvil.ask(...others.map(({ hash }) => ['eth_getRawTransactionByHash', hash] as const)) : []
  await anvil.ask(['anvil_reorg', depth, []])
  await router.remind()
  for (const raw of raws) await anvil.ask(['eth_sendRawTransaction', raw]).catch(() => undefined)
  for (const wallet of wallets) await wallet.remind()
}
