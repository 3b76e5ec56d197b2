import { isChainId, nativeAddress } from '../../wire/chain-facts.ts'
import { nativeCoin } from '../../wire/native-coin.ts'
import type { Funds } from '../../wire/funds.ts'
import type { Flow, FlowPorts } from '../method.ts'
import { callOf, type OpenTransfer, openTransfer, startTransfer } from './ask-for-transfer.ts'
import { type AskedTransfer, pendingTransfer } from './asked-transfer.ts'
import type { Connection } from './connected-wallet.ts'
import { earlierTransfer } from './earlier-transfer.ts'
import { followTransfer } from './follow-transfer.ts'
import { instructionsIn } from './instructions.ts'
import { isOrderAddress } from './is-order-address.ts'
import { takeLock } from './lock.ts'
import { connectWallet, isSlow, listWallets, type FindStep, pairWallet } from './find-wallet.ts'
import { type Notice, refusalOfService } from './notice.ts'
import { listUnlessPending, withdraw } from './pending-transfer.ts'
import { refusalOf } from './provider.ts'
import { balanceOf, chainOf, coinOf, costOf, hasAccount } from './reads.ts'
import type { SolanaInput, SolanaStep } from './solana/pay-on-solana.ts'
import type { Wallet } from './wallets.ts'

/** Sends what is due to the deposit address, by a transfer that the payer confirms in a wallet: a whole order, or the rest of one. */
export type TransferInput =
  | { readonly do: 'list' }
  /** Plans a transfer in a currency of a connected wallet. With `choose` the payer has chosen it, so the network is switched if it has to be. */
  | { readonly do: 'plan' | 'choose'; readonly wallet: Wallet; readonly connection: Connection; readonly due: Funds }
  /** The payer says that no wallet asks any more. */
  | { readonly do: 'withdraw' }
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
  | SendStep
  | { readonly at: 'solana'; readonly step: SolanaStep }
  /** Another tab of this browser is paying this order. */
  | { readonly at: 'elsewhere' }

export type SendStep =
  | { readonly at: 'plan'; readonly plan: Plan; readonly needs: 'send' | 'switch' | 'money'; readonly notice?: Notice }
  | { readonly at: 'asking'; readonly plan: Plan; readonly slow: boolean }
  | { readonly at: 'sent'; readonly hash: string | undefined }
  /** A wallet was asked before this page was loaded, or has not answered as it should. It may still ask, or have sent it. */
  | { readonly at: 'pending'; readonly transfer: AskedTransfer; readonly notice?: Notice }

type Steps = AsyncGenerator<TransferStep, void>

export const payByTransfer: Flow<TransferInput, TransferStep> = async function* (ports, input, signal) {
  const open = openTransfer(ports.order().id)
  switch (input.do) {
    case 'list':
      return yield* listUnlessPending(ports, signal)
    case 'plan':
    case 'choose':
      return yield* instruct(ports, input, signal)
    case 'withdraw':
      // While this page knows that the wallet still asks, it awaits the answer instead.
      return yield* open ? send(ports, open.plan, signal) : withdraw(ports, signal)
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

type Chosen = Extract<TransferInput, { do: 'plan' | 'choose' }>

/** Asks the service for instructions, whose amount may differ from what was listed. The payer sees the plan before the wallet is asked. */
async function* instruct(ports: FlowPorts, { do: what, wallet, connection, due }: Chosen, signal: AbortSignal): Steps {
  yield { at: 'connecting', wallet, slow: false }
  let rest: Rest | undefined
  try {
    rest = await instructionsIn(ports, due.currency, signal)
  } catch (error) {
    return yield* listWallets(ports, signal, refusalOfService(error) ?? { code: 'unsent' })
  }
  if (!rest) return yield* listWallets(ports, signal, { code: 'unsent' })
  const plan: Plan = { wallet, connection, rest, fee: undefined }
  const isThere = what === 'plan' || (await chainOf(wallet.provider)) === due.currency.chain_id
  yield* isThere ? checkAndPlan(plan) : switchNetwork(plan)
}

async function* connectAndPlan(ports: FlowPorts, wallet: Wallet, rest: Rest, signal: AbortSignal): Steps {
  const connection = yield* connectWallet(ports, wallet, signal)
  if (connection) yield* checkAndPlan({ wallet, connection, rest, fee: undefined })
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

async function* send(ports: FlowPorts, plan: Plan, signal: AbortSignal): Steps {
  if (!isOrderAddress(ports, plan.rest.to)) return yield { at: 'plan', plan, needs: 'money', notice: { code: 'closed' } }
  const { id } = ports.order()
  const release = await takeLock(id, { wait: false, signal })
  if (!release) return yield { at: 'elsewhere' }
  let asked: Plan
  let sent: Awaited<OpenTransfer['sent']>
  try {
    // The payer may have switched the network or account in the wallet since the plan was made.
    const changed = await changeOf(plan)
    if (signal.aborted) return
    const open = openTransfer(id)
    const pending = open ? undefined : pendingTransfer(ports.order(), plan.rest.due)
    if (pending) return yield pending.state === 'sent' ? { at: 'sent', hash: pending.hash } : { at: 'pending', transfer: pending }
    if (changed && !open) return yield* replan(ports, plan, changed, signal)
    const transfer = open ?? startTransfer(id, plan, (before) => earlierTransfer(ports, plan, before, signal))
    asked = transfer.plan
    yield { at: 'asking', plan: asked, slow: false }
    if (await isSlow(transfer.sent)) yield { at: 'asking', plan: asked, slow: true }
    sent = await transfer.sent
  } catch (error) {
    if (signal.aborted) return
    return yield* afterRefusal(ports, plan, { code: refusalOf(error) })
  } finally {
    release()
  }
  if (sent === 'paid') return yield { at: 'plan', plan: asked, needs: 'money', notice: { code: 'closed' } }
  if (sent === 'unknown') {
    const earlier = pendingTransfer(ports.order())
    return earlier ? yield { at: 'pending', transfer: earlier } : yield* listWallets(ports, signal)
  }
  asked.wallet.leave?.()
  yield { at: 'sent', hash: sent.hash }
  if ((await followTransfer(ports, asked.wallet.provider, sent, signal)) === 'failed')
    yield* checkAndPlan(asked, { code: 'failed_transfer' })
}

async function* afterRefusal(ports: FlowPorts, plan: Plan, notice: Notice): Steps {
  const pending = pendingTransfer(ports.order())
  if (pending) return yield { at: 'pending', transfer: pending, notice }
  yield* checkAndPlan(plan, notice)
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
