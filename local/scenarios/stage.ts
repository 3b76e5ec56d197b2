import { setTimeout as sleep } from 'node:timers/promises'
import type { Hex } from 'viem'
import { chainFacts } from '../../src/wire/chain.ts'
import { formatUnits } from '../../src/wire/money.ts'
import type { Order } from '../../src/wire/order.ts'
import { canonicalToken } from '../../src/wire/addresses/canonical.ts'
import { snapshot } from '../../server/orders/model/snapshot.ts'
import type { Engine } from '../../server/orders/engine.ts'
import { record } from '../../server/orders/record.ts'
import { orderById } from '../../server/orders/order-queries.ts'
import type { LocalChains } from '../chains.ts'
import { type Blocks, blocksByHand } from './blocks.ts'
import { dropCoinPrice } from './market.ts'
import { type Money, type Payer, transferOf } from './payers.ts'
import { CannotPlay } from './cannot-play.ts'
import { createThief, type Thief } from './thief.ts'

export interface Start {
  readonly received: bigint
  readonly due: bigint
}

export interface StageParts {
  readonly engine: Engine
  readonly chains: LocalChains
  readonly payerWith: (money: Money) => Promise<Payer>
  readonly dropSockets: (orderId: string) => void
  /** The play pauses for this long at each step. */
  readonly lookMs: number
  readonly signal: AbortSignal
  readonly say: (text: string) => void
}

/** Scenarios use this to act on an order. Except for `shortenDeadline`, the actions imitate payers, networks and providers. */
export interface Stage extends Start {
  /** Returns an amount of the currency that the order is paid in. */
  readonly money: (raw: bigint) => Money
  /** This is the amount due in another token of the same network. */
  readonly otherToken: Money
  /** This is the amount due in the dollar token of another network. */
  readonly otherChain: Money
  say(text: string): void
  look(): Promise<void>
  until(fits: (order: Order) => boolean): Promise<Order>
  /** Creates a payer with this money. The returned function sends the transfer. */
  ready(money: Money): Promise<() => Promise<Hex>>
  pay(money: Money): Promise<Hex>
  withBlocks(run: (blocks: Blocks) => Promise<void>): Promise<void>
  shortenDeadline(seconds: number): Promise<void>
  withLowerPrice(run: () => Promise<void>): Promise<void>
  dropSockets(): void
  /** Returns somebody with the operator's key, who wants this part of the order's money. */
  thiefOf(order: Order, money: Money): Thief
  declineCard(): Promise<void>
  text(money: Money): string
}

const timeoutMs = 60_000
const intervalMs = 120

export async function readOrder({ sql }: Engine, id: string): Promise<Order | undefined> {
  const order = await orderById(sql, id)
  return order && snapshot(order)
}

/** Creates the stage of an order that has payment instructions. */
export function createStage(parts: StageParts, order: Order): Stage {
  const { engine, chains, signal, say, lookMs } = parts
  const { id, payment, settlements } = order
  const source = payment?.input?.currency
  const funding = payment?.funding
  if (!source || !funding) throw new CannotPlay('The order gave no payment instructions.')
  const own = { chainId: source.chain_id, token: canonicalToken(source.chain_id, source.address) }
  const due = BigInt(funding.remaining_amount.raw)
  const tokens = (chainId: number) => chains.configs.find((config) => config.chainId === chainId)?.tokens ?? []
  const tokenOf = ({ chainId, token }: Money) =>
    tokens(chainId).find(({ address }) => canonicalToken(chainId, address) === canonicalToken(chainId, token))
  const sameIn = (chainId: number, other: ReturnType<typeof tokenOf>): Money => {
    if (!other) throw new CannotPlay('The local networks have nothing else to send.')
    const [from, to] = [BigInt(source.decimals), BigInt(other.decimals)]
    return { chainId, token: other.address, raw: to > from ? due * 10n ** (to - from) : due / 10n ** (from - to) }
  }
  const until = async (fits: (order: Order) => boolean): Promise<Order> => {
    const end = performance.now() + timeoutMs
    for (;;) {
      const now = await readOrder(engine, id)
      if (now && fits(now)) return now
      if (performance.now() > end) throw new CannotPlay(`Nothing more happened: after a minute the order is ${now?.status ?? 'gone'}.`)
      await sleep(intervalMs, undefined, { signal })
    }
  }
  const ready = async (money: Money) => {
    const payer = await parts.payerWith(money)
    return () => payer.send(transferOf(money, depositOf(order)))
  }
  return {
    due,
    received: BigInt(funding.received_amount.raw),
    money: (raw) => ({ ...own, raw }),
    get otherToken() {
      return sameIn(
        own.chainId,
        tokens(own.chainId).find((token) => token.address !== null && token.address !== own.token),
      )
    },
    get otherChain() {
      const elsewhere = chains.configs.find((config) => config.chainId !== own.chainId)
      if (settlements?.some(({ chain_id: chainId }) => chainId === elsewhere?.chainId))
        throw new CannotPlay('This order can be paid on every network here. Play it without an order, and it gets one of its own.')
      return sameIn(
        elsewhere?.chainId ?? 0,
        elsewhere?.tokens.find((token) => token.eip3009),
      )
    },
    say,
    look: () => sleep(lookMs, undefined, { signal }),
    until,
    ready,
    pay: async (money) => (await ready(money))(),
    withBlocks: (run) => blocksByHand(chains, own.chainId, run),
    async shortenDeadline(seconds) {
      const recorded = await record(engine, id, { type: 'shorten', expiresAt: engine.clock() + seconds * 1000 })
      if (!recorded) throw new CannotPlay('The order is gone.')
      if (!recorded.ok) throw new CannotPlay(`An order that is ${recorded.order.status} does not run out of time.`)
    },
    async withLowerPrice(run) {
      const restore = await dropCoinPrice(chains, own.chainId, parts.payerWith)
      try {
        await run()
      } finally {
        await restore()
      }
    },
    dropSockets: () => parts.dropSockets(id),
    thiefOf: (paid, money) => createThief(chains, paid, money),
    async declineCard() {
      const step = payment.steps.find(({ kind }) => kind === 'stripe_onramp')
      if (step?.kind !== 'stripe_onramp') throw new CannotPlay('The order is not paid by card.')
      const answer = await fetch(step.data.hosted_url, { method: 'POST', body: new URLSearchParams({ deed: 'decline' }), signal })
      if (!answer.ok) throw new CannotPlay('The card provider did not answer.')
    },
    text(money) {
      const token = tokenOf(money)
      return `${readable(formatUnits(money.raw, token?.decimals ?? 0))} ${token?.symbol ?? ''} on ${chainFacts(money.chainId)?.name ?? money.chainId}`
    },
  }
}

/** Writes 25.5 as 25.50. */
const readable = (amount: string): string => (/\.\d$/.test(amount) ? `${amount}0` : amount)

function depositOf({ payment }: Order): string {
  const step = payment?.steps.find(({ kind }) => kind === 'deposit')
  if (step?.kind !== 'deposit') throw new CannotPlay('The order gave no address to pay to.')
  return step.data.deposit_address
}
