import { setTimeout as sleep } from 'node:timers/promises'
import { chainFacts } from '../../src/wire/chain.ts'
import { formatUnits } from '../../src/wire/money.ts'
import type { Order } from '../../src/wire/order.ts'
import { canonicalToken } from '../../src/wire/addresses/canonical.ts'
import { snapshot } from '../../server/orders/model/snapshot.ts'
import type { Engine } from '../../server/orders/engine.ts'
import { record } from '../../server/orders/record.ts'
import { orderById } from '../../server/orders/order-queries.ts'
import { CannotPlay } from './cannot-play.ts'
import type { Blocks, Money, Network, Thief } from './networks/network.ts'

export interface Start {
  readonly received: bigint
  readonly due: bigint
}

export interface StageParts {
  readonly engine: Engine
  readonly networks: readonly Network[]
  readonly dropSockets: (orderId: string) => number
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
  /** Lets the time pass, however long the play pauses at its steps. */
  wait(ms: number): Promise<void>
  until(fits: (order: Order) => boolean): Promise<Order>
  /** Creates a payer with this money. The returned function sends the transfer. */
  ready(money: Money): Promise<() => Promise<string>>
  /** Creates a payer with this money, whose wallet can replace the transfer while it waits. */
  readyToReplace(money: Money): Promise<ReplaceableTransfer>
  pay(money: Money): Promise<string>
  withBlocks(run: (blocks: Blocks) => Promise<void>): Promise<void>
  shortenDeadline(seconds: number): Promise<void>
  withLowerPrice(run: () => Promise<void>): Promise<void>
  /** Returns how many connections were open. */
  dropSockets(): number
  /** Returns somebody with the operator's key, who wants this part of the order's money. */
  thiefOf(order: Order, money: Money): Thief
  declineCard(): Promise<void>
  text(money: Money): string
}

/** Each resolves with the hash of its transaction. */
export interface ReplaceableTransfer {
  send(): Promise<string>
  withHigherFee(): Promise<string>
  /** The money goes back to the payer's own wallet. */
  takeBack(): Promise<string>
}

const timeoutMs = 60_000
const intervalMs = 120

export async function readOrder({ sql }: Engine, id: string): Promise<Order | undefined> {
  const order = await orderById(sql, id)
  return order && snapshot(order)
}

/** Creates the stage of an order that has payment instructions. */
export function createStage(parts: StageParts, order: Order): Stage {
  const { engine, networks, signal, say, lookMs } = parts
  const { id, payment, settlements } = order
  const source = payment?.input?.currency
  const funding = payment?.funding
  if (!source || !funding) throw new CannotPlay('The order gave no payment instructions.')
  const own = { chainId: source.chain_id, token: canonicalToken(source.chain_id, source.address) }
  const due = BigInt(funding.remaining_amount.raw)
  const networkOf = (chainId: number): Network => {
    const found = networks.find((network) => network.chainId === chainId)
    if (!found) throw new CannotPlay(`There is no local network ${chainId}.`)
    return found
  }
  const network = networkOf(own.chainId)
  const tokens = (chainId: number) => networkOf(chainId).tokens
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
    const payer = await networkOf(money.chainId).payerWith(money)
    return () => payer.send(depositOf(order))
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
      const elsewhere = networks.find(({ chainId, family }) => chainId !== own.chainId && family === network.family)
      if (settlements?.some(({ chain_id: chainId }) => chainId === elsewhere?.chainId))
        throw new CannotPlay('This order can be paid on every network here. Play it without an order, and it gets one of its own.')
      return sameIn(
        elsewhere?.chainId ?? 0,
        elsewhere?.tokens.find((token) => token.eip3009),
      )
    },
    say,
    look: () => sleep(lookMs, undefined, { signal }),
    wait: (ms) => sleep(ms, undefined, { signal }),
    until,
    ready,
    async readyToReplace(money) {
      const { address, send, replace } = await networkOf(money.chainId).payerWith(money)
      if (!replace) throw new CannotPlay('Wallets of this network do not replace what they have sent.')
      return { send: () => send(depositOf(order)), withHigherFee: () => replace(depositOf(order)), takeBack: () => replace(address) }
    },
    pay: async (money) => (await ready(money))(),
    withBlocks: (run) => network.byHand(run),
    async shortenDeadline(seconds) {
      const recorded = await record(engine, id, { type: 'shorten', expiresAt: engine.clock() + seconds * 1000 })
      if (!recorded) throw new CannotPlay('The order is gone.')
      if (!recorded.ok) throw new CannotPlay(recorded.refusal.message)
    },
    withLowerPrice: (run) => network.withLowerPrice(run),
    dropSockets: () => parts.dropSockets(id),
    thiefOf(paid, money) {
      if (!network.thiefOf) throw new CannotPlay('On this network the key can take what is not settled yet.')
      return network.thiefOf(paid, money)
    },
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
