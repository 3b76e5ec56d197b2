import { isChainId, nativeAddress } from '../../wire/chain-facts.ts'
import { nativeCoin } from '../../wire/native-coin.ts'
import type { Funds } from '../../wire/funds.ts'
import type { Flow, FlowPorts } from '../method.ts'
import type { Connection } from './connected-wallet.ts'
import { isOrderAddress } from './is-order-address.ts'
import { takeLock } from './lock.ts'
import { connectWallet, isSlow, listWallets, type FindStep, pairWallet } from './find-wallet.ts'
import type { Notice } from './notice.ts'
import { refusalOf } from './provider.ts'
import { balanceOf, chainOf, coinOf, costOf, hasAccount, transferCall } from './reads.ts'
import type { SolanaInput, SolanaStep } from './solana/pay-on-solana.ts'
import { tabStorage } from './tab-storage.ts'
import type { Wallet } from './wallets.ts'

/** Sends what is still due to the deposit address, by a plain transfer that the payer confirms in a wallet. */
export type TransferInput =
  | { readonly do: 'list' }
  | { readonly do: 'connect'; readonly wallet: Wallet; readonly rest: Rest }
  | { readonly do: 'pair'; readonly rest: Rest }
  | { readonly do: 'switch' | 'send'; readonly plan: Plan }
  | { readonly do: 'solana'; readonly input: SolanaInput }

export interface Rest {
  readonly to: string
  readonly due: Funds
}

export interface Plan {
  readonly wallet: Wallet
  readonly connection: Connection
  readonly rest: Rest
  /** The network fee is undefined if the wallet's node gives no estimate. */
  readonly fee: Funds | undefined
}

export type TransferStep =
  | FindStep
  | { readonly at: 'plan'; readonly plan: Plan; readonly needs: 'send' | 'switch' | 'money'; readonly notice?: Notice }
  | { readonly at: 'asking'; readonly plan: Plan; readonly slow: boolean }
  | { readonly at: 'sent'; readonly hash: string }
  | { readonly at: 'solana'; readonly step: SolanaStep }
  | { readonly at: 'elsewhere' }

type Steps = AsyncGenerator<TransferStep, void>

export const payByTransfer: Flow<TransferInput, TransferStep> = async function* (ports, input, signal) {
  switch (input.do) {
    case 'list':
      return yield* listWallets(ports, signal)
    case 'connect':
      return yield* connectAndPlan(ports, input.wallet, input.rest, signal)
    case 'pair': {
      const paired = yield* pairWallet(ports, input.rest.due.currency.chain_id, signal)
      if (paired) yield* connectAndPlan(ports, paired, input.rest, signal)
      return
    }
    case 'switch':
      return yield* switchNetwork(input.plan)
    case 'send':
      return yield* send(ports, input.plan, signal)
    case 'solana': {
      const part = await import('./solana/pay-on-solana.ts').catch(() => undefined)
      if (!part) return yield* listWallets(ports, signal, { code: 'unsent' })
      for await (const step of part.payOnSolana(ports, input.input, signal)) yield { at: 'solana', step }
      return
    }
    default:
      return input satisfies never
  }
}

async function* connectAndPlan(ports: FlowPorts, wallet: Wallet, rest: Rest, signal: AbortSignal): Steps {
  const connection = yield* connectWallet(ports, wallet, signal)
  if (connection) yield* checkAndPlan({ wallet, connection, rest, fee: undefined })
}

/** A token is transferred by a call of its contract, and the native coin by a call without data. */
const callOf = ({ connection: { from }, rest: { to, due } }: Plan) => {
  const token = due.currency.address
  return token && token !== nativeAddress
    ? transferCall(token, from, to, due.raw)
    : { from, to, data: '0x', value: `0x${due.raw.toString(16)}` }
}

/** Checks balances, fee and success through the wallet's own node first, so that the payer is not asked for a transfer that would fail. */
async function* checkAndPlan(plan: Plan, notice?: Notice): Steps {
  const {
    wallet: { provider },
    connection: { from },
    rest: { due },
  } = plan
  const chain = await chainOf(provider)
  if (chain !== undefined && chain !== due.currency.chain_id) return yield { at: 'plan', plan, needs: 'switch', notice }
  const call = callOf(plan)
  const isCoin = call.data === '0x'
  const [coin, balance, cost] = await Promise.all([
    coinOf(provider, from),
    isCoin ? undefined : balanceOf(provider, call.to, from),
    costOf(provider, call),
  ])
  const { chain_id: chainId } = due.currency
  const native = isChainId(chainId) ? nativeCoin(chainId) : undefined
  const coins = (raw: bigint): Funds => ({
    raw,
    currency: {
      ...due.currency,
      address: nativeAddress,
      symbol: native?.symbol ?? '',
      name: native?.name ?? '',
      decimals: native?.decimals ?? 18,
    },
  })
  const short = (notice: Notice): TransferStep => ({ at: 'plan', plan, needs: 'money', notice })
  if (balance !== undefined && balance < due.raw) return yield short({ code: 'insufficient_balance', has: { ...due, raw: balance } })
  if (isCoin && coin !== undefined && coin < due.raw) return yield short({ code: 'insufficient_balance', has: { ...due, raw: coin } })
  if (cost === 'reverts') return yield short({ code: 'reverts' })
  if (cost !== undefined && coin !== undefined && coin < cost + (isCoin ? due.raw : 0n))
    return yield short({ code: 'gas', has: coins(coin), needs: coins(cost) })
  yield { at: 'plan', plan: { ...plan, fee: cost === undefined ? undefined : coins(cost) }, needs: 'send', notice }
}

async function* switchNetwork(plan: Plan): Steps {
  yield { at: 'connecting', wallet: plan.wallet, slow: false }
  try {
    await plan.connection.switchTo(plan.rest.due.currency.chain_id)
    yield* checkAndPlan(plan)
  } catch (error) {
    yield { at: 'plan', plan, needs: 'switch', notice: { code: refusalOf(error) } }
  }
}

/** This tab never sends the same amount for an order twice, so it stores the hash of each transfer by order and exact amount. */
const keyOf = (orderId: string, { due }: Rest) => `till:rest:${orderId}:${due.raw}`

interface Transfer {
  readonly plan: Plan
  readonly hash: Promise<string>
}

/** A wallet may still show these requests, by order. They cannot be withdrawn, so a second tap awaits the first request. */
const openTransfers = new Map<string, Transfer>()

const startTransfer = (orderId: string, plan: Plan): Transfer => {
  const started = { plan, hash: transfer(plan) }
  openTransfers.set(orderId, started)
  const done = () => openTransfers.delete(orderId)
  // The hash is stored even if the payer has left, because the transfer may still be confirmed in the wallet.
  started.hash.then((hash) => tabStorage.set(keyOf(orderId, plan.rest), hash)).then(done, done)
  return started
}

async function* send(ports: FlowPorts, plan: Plan, signal: AbortSignal): Steps {
  if (!isOrderAddress(ports, plan.rest.to)) return yield { at: 'plan', plan, needs: 'money', notice: { code: 'closed' } }
  const { id } = ports.order()
  const release = await takeLock(id, { wait: false, signal })
  if (!release) return yield { at: 'elsewhere' }
  try {
    // The payer may have switched the network or account in the wallet since the plan was made.
    const changed = await changeOf(plan)
    if (signal.aborted) return
    const before = tabStorage.get(keyOf(id, plan.rest))
    if (before) return yield { at: 'sent', hash: before }
    if (changed && !openTransfers.has(id)) return yield* replan(ports, plan, changed, signal)
    const { plan: asked, hash: pendingHash } = openTransfers.get(id) ?? startTransfer(id, plan)
    yield { at: 'asking', plan: asked, slow: false }
    if (await isSlow(pendingHash)) yield { at: 'asking', plan: asked, slow: true }
    const hash = await pendingHash
    asked.wallet.leave?.()
    yield { at: 'sent', hash }
    // Reporting the hash only makes the service see the payment sooner, so a failure is ignored.
    await ports.api.findTransaction(id, hash, signal).catch(() => undefined)
    await ports.refresh().catch(() => undefined)
  } catch (error) {
    if (signal.aborted) return
    const code = refusalOf(error)
    if (code === 'disconnected' && plan.wallet.leave) yield* listWallets(ports, signal, { code })
    else yield* checkAndPlan(plan, { code })
  } finally {
    release()
  }
}

const changeOf = async ({ wallet: { provider }, connection, rest }: Plan): Promise<'network' | 'account' | undefined> => {
  const [chain, isStillThere] = await Promise.all([chainOf(provider), hasAccount(provider, connection.from)])
  if (!isStillThere) return 'account'
  return chain !== undefined && chain !== rest.due.currency.chain_id ? 'network' : undefined
}

/** The network or account has changed, so the payer sees a new plan before anything is sent. */
async function* replan(ports: FlowPorts, plan: Plan, changed: 'network' | 'account', signal: AbortSignal): Steps {
  if (changed === 'network') return yield* checkAndPlan(plan)
  const connection = yield* connectWallet(ports, plan.wallet, signal)
  if (connection) yield* checkAndPlan({ ...plan, connection, fee: undefined }, { code: 'account' })
}

const transfer = async (plan: Plan): Promise<string> => {
  const chainId = `0x${plan.rest.due.currency.chain_id.toString(16)}`
  const hash = await plan.wallet.provider.request({ method: 'eth_sendTransaction', params: [{ ...callOf(plan), chainId }] })
  if (typeof hash !== 'string' || !/^0x[0-9a-fA-F]{64}$/.test(hash)) throw new Error('the wallet returned no transaction hash')
  return hash
}
