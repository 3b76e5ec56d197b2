// @vitest-environment happy-dom
import fc from 'fast-check'
import { beforeAll, beforeEach, expect, test, vi } from 'vitest'
import type { Flow, FlowPorts, RunningFlow } from '../../src/methods/method.ts'
import type { Plan, TransferInput, TransferStep } from '../../src/methods/wallet/pay-by-transfer.ts'
import { runFlow } from '../../src/model/running-flow.ts'
import * as orders from '../support/orders/orders.ts'
import { bundled } from '../support/bundled.ts'
import { full, seed } from '../support/full.ts'
import { createLocks, type TabLocks } from '../support/browser/tab-locks.ts'

/** A wallet that was asked for a transfer is not asked for another, whatever becomes of the page that asked. */

const account = '0x1111111111111111111111111111111111111111'

/** A request that the wallet still shows, though the page may be gone. */
interface Prompt {
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
  confirm(): void
  fail(code?: number): void
}

/** A page that is gone receives no answer, and the wallet still asks. */
interface OpenOrClosed {
  isClosed?: boolean
}

const never = new Promise<never>(() => {})

/** Wallets of one account on one chain, which takes each nonce once, and keeps it from blocks for as long as the test wants. */
function createWorld({ takesBatches = false } = {}) {
  const prompts: Prompt[] = []
  const nonces = new Set<unknown>()
  let mined = 0
  /** What the deposit address holds on the wallet's node, and whether the service has read those blocks. */
  let arrived = 0
  let isSeen = false
  const ids = new Set<unknown>()
  let sent = 0
  const request = async (tab: OpenOrClosed, { method, params }: { method: string; params?: unknown }): Promise<unknown> => {
    if (tab.isClosed) return never
    switch (method) {
      case 'eth_chainId':
        return '0x2105'
      case 'eth_accounts':
      case 'eth_requestAccounts':
        return [account]
      case 'eth_getTransactionCount':
        return `0x${((params as string[])[1] === 'latest' ? mined : nonces.size).toString(16)}`
      case 'eth_call':
        return `0x${(BigInt(arrived) * 42_500_000n).toString(16)}`
      case 'wallet_getCapabilities':
        if (takesBatches) return { '0x2105': { atomic: { status: 'ready' } } }
        break
      case 'eth_sendTransaction':
      case 'wallet_sendCalls': {
        const [ask] = params as [Record<string, unknown>]
        let isAnswered = false
        return new Promise((resolve, reject) => {
          const fail = (code?: number) => {
            isAnswered = true
            if (!tab.isClosed) reject(Object.assign(new Error('no'), { code }))
          }
          const prompt: Prompt = {
            method,
            params: ask,
            fail,
            confirm: () => {
              if (isAnswered) return
              isAnswered = true
              const [taken, key] = takesBatches ? [ids, ask.id] : [nonces, ask.nonce]
              if (taken.has(key)) return fail(takesBatches ? 5720 : -32000)
              taken.add(key)
              sent++
              if (!tab.isClosed) resolve(takesBatches ? { id: ask.id } : orders.hash)
            },
          }
          prompts.push(prompt)
        })
      }
    }
    throw new Error(`not here: ${method}`)
  }
  const plan = (name: string, tab: OpenOrClosed = {}): Plan => ({
    wallet: { rdns: name, name, provider: { request: (asked) => request(tab, asked) }, usedBefore: false },
    connection: { from: account } as never,
    rest: { to: orders.depositAddress, due: { raw: 42_500_000n, currency: orders.usdc } },
    fee: undefined,
  })
  /** Mines what has been sent. The service may read the block later. */
  const mine = ({ unseen = false } = {}) => {
    mined = nonces.size
    arrived = sent
    if (!unseen) see()
  }
  /** Another transaction of the account takes the next nonce. */
  const mineAnother = () => {
    nonces.add(`0x${nonces.size.toString(16)}`)
    mined = nonces.size
  }
  const see = () => void (isSeen = arrived > 0)
  return { prompts, plan, sent: () => sent, mine, mineAnother, see, isSeen: () => isSeen }
}

type Tab = RunningFlow<TransferInput, TransferStep>

let made = 0
let ports: FlowPorts
/** The script of the page's part that asks for transfers. Each tab runs it anew, so that it knows nothing of another tab. */
let script = ''
beforeAll(async () => {
  script = await bundled('src/methods/wallet/pay-by-transfer.ts', 'part')
})
beforeEach(() => {
  const order = { ...orders.pending(), id: `ord_asked_${++made}` }
  ports = {
    api: { findTransaction: vi.fn(async () => ({ found: false })), order: async () => ports.order() },
    order: () => order,
    refresh: async () => {},
    now: () => orders.recordedNow,
  } as never
})

/** Opens the page anew: its script forgets all that it knew, and what is stored stays. */
function openTab(locks?: TabLocks, storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> = localStorage): Tab {
  const { payByTransfer } = new Function('navigator', 'localStorage', `${script}\nreturn part`)({ locks }, storage) as {
    payByTransfer: Flow<TransferInput, TransferStep>
  }
  return runFlow(payByTransfer, async () => ports)
}

const step = (tab: Tab) => tab.step.value
const until = (tab: Tab, expected: object) => expect.poll(() => step(tab)).toMatchObject(expected)

test('default: what the wallet is asked for is stored before it is asked, with the nonce of the request', async () => {
  const world = createWorld()
  const tab = openTab()
  void tab.run({ do: 'send', plan: world.plan('Alpha') })
  await expect.poll(() => world.prompts).toHaveLength(1)
  expect(world.prompts[0]!.params).toMatchObject({ nonce: '0x0', chainId: '0x2105' })
  expect(JSON.parse(localStorage.getItem(`till:asked:${ports.order().id}`)!)).toMatchObject({
    wallet: 'Alpha',
    from: account,
    nonce: '0x0',
    state: 'asked',
    due: { raw: '42500000' },
  })
})

test('behavior: after a reload the page says where to look, and asks no wallet until the payer says that the request is gone', async () => {
  const world = createWorld()
  void openTab().run({ do: 'send', plan: world.plan('Alpha') })
  await expect.poll(() => world.prompts).toHaveLength(1)
  const tab = openTab()
  void tab.run({ do: 'list' })
  await until(tab, { at: 'pending', transfer: { wallet: 'Alpha', state: 'asked' } })
  await tab.run({ do: 'send', plan: world.plan('Beta') })
  expect(step(tab)).toMatchObject({ at: 'pending' })
  expect(world.prompts).toHaveLength(1)
  void tab.run({ do: 'withdraw' })
  await until(tab, { at: 'list' })
  void tab.run({ do: 'send', plan: world.plan('Beta') })
  await expect.poll(() => world.prompts).toHaveLength(2)
  for (const prompt of world.prompts) prompt.confirm()
  expect(world.sent()).toBe(1)
})

test('behavior: only what says that nothing was sent is forgotten', async () => {
  for (const [code, at] of [
    [4001, 'plan'],
    [-32002, 'plan'],
    [4100, 'plan'],
    [-32603, 'pending'],
    [4900, 'pending'],
  ] as const) {
    localStorage.clear()
    const world = createWorld()
    const tab = openTab()
    void tab.run({ do: 'send', plan: world.plan('Alpha') })
    await expect.poll(() => world.prompts).toHaveLength(1)
    world.prompts[0]!.fail(code)
    await until(tab, { at })
  }
})

test('behavior: a wallet that is busy after the payer said that the request is gone still has it', async () => {
  const world = createWorld()
  void openTab().run({ do: 'send', plan: world.plan('Alpha') })
  await expect.poll(() => world.prompts).toHaveLength(1)
  const tab = openTab()
  void tab.run({ do: 'withdraw' })
  await until(tab, { at: 'list' })
  void tab.run({ do: 'send', plan: world.plan('Alpha') })
  await expect.poll(() => world.prompts).toHaveLength(2)
  world.prompts[1]!.fail(-32002)
  await until(tab, { at: 'pending', notice: { code: 'busy' }, transfer: { state: 'asked' } })
})

test('behavior: a batch that the wallet has sent before counts as sent', async () => {
  const world = createWorld({ takesBatches: true })
  void openTab().run({ do: 'send', plan: world.plan('Alpha') })
  await expect.poll(() => world.prompts).toHaveLength(1)
  const tab = openTab()
  void tab.run({ do: 'withdraw' })
  await until(tab, { at: 'list' })
  void tab.run({ do: 'send', plan: world.plan('Alpha') })
  await expect.poll(() => world.prompts).toHaveLength(2)
  world.prompts[0]!.confirm()
  world.prompts[1]!.confirm()
  await until(tab, { at: 'sent' })
  expect(world.prompts.map(({ params }) => params.id)).toEqual([world.prompts[0]!.params.id, world.prompts[0]!.params.id])
  expect(world.sent()).toBe(1)
})

/** The page was reloaded while the wallet asked, and the payer says that the request is gone. */
async function withdrawn(world: ReturnType<typeof createWorld>): Promise<Tab> {
  const { id } = ports.order()
  ports = { ...ports, order: () => orders.awaiting({}, { id }) }
  const before = { isClosed: false }
  void openTab().run({ do: 'send', plan: world.plan('Alpha', before) })
  await expect.poll(() => world.prompts).toHaveLength(1)
  before.isClosed = true
  const tab = openTab()
  void tab.run({ do: 'withdraw' })
  await until(tab, { at: 'list' })
  return tab
}
const sendAgain = (tab: Tab, world: ReturnType<typeof createWorld>) => tab.run({ do: 'send', plan: world.plan('Alpha') })

test('behavior: once a block has the nonce of a request that was said to be gone, nothing is asked if the order has been paid', async () => {
  const world = createWorld()
  const tab = await withdrawn(world)
  world.prompts[0]!.confirm()
  world.mine()
  const paid = { ...orders.confirming(), id: ports.order().id }
  ports = { ...ports, order: () => paid }
  await sendAgain(tab, world)
  expect(step(tab)).toMatchObject({ at: 'plan', notice: { code: 'closed' } })
  expect(world.prompts).toHaveLength(1)
})

test('behavior: while nobody knows whether that request has paid, it may still be open, and nothing is asked', async () => {
  const cases: Readonly<Record<string, (world: ReturnType<typeof createWorld>) => void>> = {
    'it waits for a block': () => {},
    'the service has not read its block': (world) => world.mine({ unseen: true }),
    'the service does not answer': (world) => {
      world.mineAnother()
      ports = { ...ports, api: { order: () => Promise.reject(new Error('unreachable')) } as never }
    },
  }
  for (const [name, prepare] of Object.entries(cases)) {
    localStorage.clear()
    const world = createWorld()
    const tab = await withdrawn(world)
    if (name !== 'the service does not answer') world.prompts[0]!.confirm()
    prepare(world)
    await sendAgain(tab, world)
    expect(step(tab), name).toMatchObject({ at: 'pending', transfer: { wallet: 'Alpha', state: 'asked' } })
    expect(world.prompts, name).toHaveLength(1)
  }
})

test('behavior: another transaction of the account may have that nonce, and then the payer is asked again', async () => {
  const world = createWorld()
  const tab = await withdrawn(world)
  world.mineAnother()
  void sendAgain(tab, world)
  await expect.poll(() => world.prompts).toHaveLength(2)
})

test('behavior: a transfer that the order lists does not keep the rest from being paid', async () => {
  const world = createWorld()
  const tab = openTab()
  void tab.run({ do: 'send', plan: world.plan('Alpha') })
  await expect.poll(() => world.prompts).toHaveLength(1)
  world.prompts[0]!.confirm()
  world.mine()
  await until(tab, { at: 'sent' })
  const { id } = ports.order()
  const rest = { raw: 22_500_000n, currency: orders.usdc }
  const listed = { ...orders.partlySeen(), id }
  ports = { ...ports, order: () => listed }
  const plan = world.plan('Alpha')
  void tab.run({ do: 'send', plan: { ...plan, rest: { ...plan.rest, due: rest } } })
  await expect.poll(() => world.prompts).toHaveLength(2)
})

test('behavior: a plan from before the order listed the transfer that has paid asks for nothing', async () => {
  const world = createWorld()
  const tab = await withdrawn(world)
  world.prompts[0]!.confirm()
  await settled()
  world.mine()
  const { id } = ports.order()
  const paid = { ...orders.confirming(), id }
  ports = { ...ports, order: () => paid }
  const stored = JSON.parse(localStorage.getItem(`till:asked:${id}`)!) as object
  localStorage.setItem(`till:asked:${id}`, JSON.stringify({ ...stored, hash: orders.hash }))
  await sendAgain(tab, world)
  expect(step(tab)).toMatchObject({ at: 'plan', notice: { code: 'closed' } })
  expect(world.prompts).toHaveLength(1)
})

test('behavior: another account cannot replace what the first was asked for, so the order is read before it is asked', async () => {
  const world = createWorld()
  const tab = await withdrawn(world)
  const other = { ...world.plan('Alpha'), connection: { from: '0x2222222222222222222222222222222222222222' } as never }
  ports = { ...ports, api: { order: () => Promise.reject(new Error('unreachable')) } as never }
  await tab.run({ do: 'send', plan: other })
  expect(world.prompts).toHaveLength(1)
})

test('behavior: a transaction that the service can see is not withdrawn', async () => {
  const world = createWorld()
  const before = openTab()
  void before.run({ do: 'send', plan: world.plan('Alpha') })
  await expect.poll(() => world.prompts).toHaveLength(1)
  world.prompts[0]!.confirm()
  await until(before, { at: 'sent' })
  vi.mocked(ports.api.findTransaction).mockResolvedValue({ found: true, message: '' })
  const tab = openTab()
  await tab.run({ do: 'withdraw' })
  expect(step(tab)).toMatchObject({ at: 'sent', hash: orders.hash })
})

const act = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('pay' as const), wallet: fc.constantFrom('Alpha', 'Beta') }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('reload' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('list' as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('withdraw' as const) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('confirm' as const), prompt: fc.nat(5) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('mine' as const, 'mine unseen' as const, 'see' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('lose the service' as const, 'reach the service' as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('decline' as const), prompt: fc.nat(5) }) },
)
/** An act that does not wait happens while the one before it is still under way. */
const acts = fc.array(fc.record({ name: fc.constantFrom('first', 'second'), each: act, waits: fc.boolean() }), {
  minLength: 3,
  maxLength: 14,
})

test(
  'property: whatever tab, tap, reload, wallet and answer: at most one transfer is sent',
  async () => {
    await fc.assert(
      fc.asyncProperty(acts, fc.boolean(), async (steps, takesBatches) => {
        localStorage.clear()
        const world = createWorld({ takesBatches })
        const { id } = ports.order()
        const [due, paid] = [orders.awaiting({}, { id }), { ...orders.confirming(), id }]
        let isReached = true
        const answered = async <T>(answer: () => T): Promise<T> => {
          if (!isReached) throw new Error('unreachable')
          return answer()
        }
        const served = () => (world.isSeen() ? paid : due)
        // The page has what it last read.
        let shown = due
        const api = { findTransaction: () => answered(() => ({ found: world.isSeen() })), order: () => answered(served) }
        ports = { ...ports, api, order: () => (shown = isReached ? served() : shown) } as never
        const locks = createLocks()
        const open = () => {
          const own = locks()
          // What the script of a closed tab would still do has no effect.
          const storage = {
            getItem: (key: string) => localStorage.getItem(key),
            setItem: (key: string, value: string) => void (tab.isClosed || localStorage.setItem(key, value)),
            removeItem: (key: string) => void (tab.isClosed || localStorage.removeItem(key)),
          }
          const tab = { ...openTab(own, storage), isClosed: false, close: () => ((tab.isClosed = true), own.close()) }
          return tab
        }
        const tabs = { first: open(), second: open() }
        for (const { name, each, waits } of steps) {
          // The page of an order whose payment is seen has another screen.
          if (ports.order() === paid && each.do !== 'confirm' && each.do !== 'decline') continue
          const tab = tabs[name]
          if (each.do === 'pay') void tab.run({ do: 'send', plan: world.plan(each.wallet, tab) })
          else if (each.do === 'reload') {
            tab.close()
            tabs[name] = open()
          } else if (each.do === 'confirm') world.prompts[each.prompt]?.confirm()
          else if (each.do === 'decline') world.prompts[each.prompt]?.fail(4001)
          else if (each.do === 'mine') world.mine()
          else if (each.do === 'mine unseen') world.mine({ unseen: true })
          else if (each.do === 'see') world.see()
          else if (each.do === 'lose the service' || each.do === 'reach the service') isReached = each.do === 'reach the service'
          else void tab.run({ do: each.do })
          if (waits) await settled()
        }
        await settled()
        // In the end the payer confirms whatever is still open.
        for (const prompt of world.prompts) prompt.confirm()
        expect(world.sent()).toBeLessThanOrEqual(1)
      }),
      { numRuns: full ? 20_000 : 200, seed },
    )
  },
  full ? 3_600_000 : undefined,
)

/** Lets everything run that waits for no wallet. */
const settled = () => new Promise((resolve) => setTimeout(resolve))
