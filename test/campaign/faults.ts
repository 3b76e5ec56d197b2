import { operator } from '../../server/local/chains/accounts.ts'
import { until } from '../support/wait.ts'
import type { Mood, Node } from './node.ts'
import type { Random } from './random.ts'
import type { Manner } from './receiver.ts'
import type { OpenPage } from './pages.ts'
import type { Place, World } from './world.ts'

/** Begins; what it returns ends it and says how much met it: connections, calls, deliveries, blocks. What nobody met was not survived. */
type Fault = (world: World, random: Random) => Promise<() => Promise<number>>

const node =
  (moodOf: (random: Random) => Mood): Fault =>
  async ({ base, ethereum }, random) => {
    const nodes: readonly Node[] = random.int(0, 2) === 0 ? [base.node, ethereum.node] : [base.node]
    const fair = nodes.map((one) => one.become(moodOf(random)))
    return async () => fair.reduce((met, end) => met + end(), 0)
  }

const receiver =
  (manner: Manner): Fault =>
  async ({ merchant }) => {
    const well = merchant.receiver.behave(manner)
    return async () => well()
  }

const clock =
  (offsetMs: (random: Random) => number): Fault =>
  async ({ processes }, random) => {
    const one = random.pick(processes)
    one.shiftClock(offsetMs(random))
    return async () => {
      one.shiftClock(0)
      return 1
    }
  }

const page =
  (begin: (page: OpenPage) => Promise<() => Promise<unknown>>): Fault =>
  async ({ pages }) => {
    const watched = await until(() => pages.open.at(-1), { timeout: 60_000, what: 'a page is open' })
    const end = await begin(watched)
    return async () => {
      await end()
      return 1
    }
  }

/** Every fault that the service promises to survive. A new one is a new line. */
export const faults: Readonly<Record<string, Fault>> = {
  'a process is killed': async ({ processes, door }, random) => {
    const one = random.pick(processes)
    await one.kill9()
    door.targets = processes.filter((other) => other !== one).map(({ port }) => port)
    return async () => {
      await one.start()
      door.targets = processes.map(({ port }) => port)
      return 1
    }
  },
  'all processes are killed': async ({ processes }) => {
    await Promise.all(processes.map((one) => one.kill9()))
    return async () => {
      await Promise.all(processes.map((one) => one.start()))
      return processes.length
    }
  },
  'Postgres restarts': async ({ database }) => {
    await database.restart()
    return async () => 1
  },
  'Postgres crashes': async ({ database }) => {
    await database.crash()
    return async () => 1
  },
  'the node is silent': node(() => ({ is: 'silent' })),
  'the node fails': node(() => ({ is: 'failing' })),
  'the node drops connections': node(() => ({ is: 'dropping' })),
  'the node stands still': node(() => ({ is: 'frozen' })),
  'the node goes back': node((random) => ({ is: 'behind', blocks: random.int(1, 9), everySecond: false })),
  'nodes disagree': node((random) => ({ is: 'behind', blocks: random.int(1, 9), everySecond: true })),
  'the node names blocks that nobody has': node((random) => ({ is: 'ahead', blocks: random.int(1, 40) })),
  'the chain is reorganised': async ({ base }, random) => {
    const depth = random.int(1, 5)
    await reorganise(base, depth)
    return async () => depth
  },
  'the chain is reorganised twice': async ({ base }, random) => {
    await reorganise(base, random.int(1, 5))
    return async () => {
      const depth = random.int(1, 5)
      await reorganise(base, depth)
      return depth
    }
  },
  'the clock of the chain jumps': async ({ base }, random) => {
    await base.anvil.ask(['evm_increaseTime', random.int(5, 60)])
    return async () => 1
  },
  'a clock is wrong': clock((random) => random.pick([-1, 1]) * random.int(20_000, 120_000)),
  'a clock is far ahead': clock((random) => random.int(35, 600) * 60_000),
  'a clock is far behind': clock((random) => -random.int(35, 600) * 60_000),
  'connections are cut': async ({ door }) => {
    const first = door.cut()
    return async () => first + door.cut()
  },
  'the network holds everything back': async ({ door }) => {
    const release = door.hold()
    return async () => release()
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
}

/** What needs somebody to meet it. */
export const companions: Readonly<Record<string, string>> = {
  'a browser freezes': 'in front of the page',
  'a browser goes offline': 'in front of the page',
}

/**
 * The last blocks are replaced by empty ones. What stood in them goes back to the pool, as nodes do it, but for what the service itself
 * sent: whether that comes back is the service's business.
 */
const reorganise = ({ anvil, turns, wallets, chain }: Place, depth: number): Promise<void> =>
  turns(async () => {
    const { number } = await chain.head(AbortSignal.timeout(5_000))
    const blocks = (await anvil.ask(
      ...Array.from(
        { length: depth },
        (_, index) => ['eth_getBlockByNumber', `0x${(number - depth + 1 + index).toString(16)}`, true] as const,
      ),
    )) as { transactions: { hash: string; from: string }[] }[]
    const others = blocks.flatMap(({ transactions }) => transactions).filter(({ from }) => from.toLowerCase() !== operator.address)
    const raws = others.length > 0 ? await anvil.ask(...others.map(({ hash }) => ['eth_getRawTransactionByHash', hash] as const)) : []
    await anvil.ask(['anvil_reorg', depth, []])
    for (const raw of raws) await anvil.ask(['eth_sendRawTransaction', raw]).catch(() => undefined)
    for (const wallet of wallets) await wallet.remind()
  })
