import { encodeBase58 } from '../../../wire/addresses/base58.ts'
import { nativeAddress } from '../../../wire/chain-facts.ts'
import type { CurrencyRead, NetworkFee } from '../../../wire/currency.ts'
import { type Funds, sameCurrency } from '../../../wire/funds.ts'
import type { OrderRead } from '../../../wire/order-read.ts'
import { encodeHeader } from '../../../wire/x402-header.ts'
import type { Flow, FlowPorts } from '../../method.ts'
import { isSlow } from '../find-wallet.ts'
import { keep } from '../kept-signature.ts'
import { takeLock } from '../lock.ts'
import { type Notice, refusalOfService } from '../notice.ts'
import type { Rest } from '../pay-by-transfer.ts'
import { payableOn } from '../payable-on.ts'
import { refusalOf } from '../provider.ts'
import { tabStorage } from '../tab-storage.ts'
import { remember } from '../wallets.ts'
import { paysExactly } from './pays-exactly.ts'
import { type Account, featuresOf, type SolanaWallet } from './standard-wallets.ts'

/**
 * Pays from a wallet of Solana.
 *
 * 1. The payer connects a wallet, and the page asks for instructions in a currency that it can pay with, unless he pays the rest. It also asks
 *    what the network takes from him.
 * 2. The service builds the transaction when the payer taps. The page checks that it makes the payment on the screen and does nothing else.
 * 3. If the service pays the network fee, the wallet signs, and the signature is stored and sent like any other (pay-by-signature.ts).
 *    Otherwise the wallet signs and sends by itself. The service gives an order the same transaction again for as long as it can be included,
 *    and the network includes it once, so a second tap, tab or reload pays nothing twice.
 */
export type SolanaInput =
  | { readonly do: 'connect'; readonly wallet: SolanaWallet; readonly currency?: CurrencyRead; readonly rest?: Rest }
  | { readonly do: 'pay'; readonly review: SolanaReview }

/** The payer reviews this before the wallet is asked. */
export interface SolanaReview {
  readonly wallet: SolanaWallet
  readonly account: Account
  readonly due: Funds
  readonly to: string
  /** Part of the order is paid. The service pays no fee for the rest. */
  readonly isRest: boolean
  /** It is undefined if the service has not said it. */
  readonly cost: Cost | undefined
  /** The order can also be paid in these. */
  readonly others: readonly CurrencyRead[]
}

/** What the network takes from the payer, and null where he pays nothing. */
export interface Cost {
  readonly fee: NetworkCost | null
  /** The order's account for the token has to be opened. */
  readonly account: NetworkCost | null
}

export interface NetworkCost {
  readonly funds: Funds
  readonly fiat: Pick<NetworkFee, 'amount' | 'unit'> | undefined
}

export type SolanaStep =
  | { readonly at: 'connecting'; readonly wallet: SolanaWallet; readonly slow: boolean }
  | { readonly at: 'review'; readonly review: SolanaReview; readonly notice?: Notice }
  | { readonly at: 'asking'; readonly review: SolanaReview; readonly slow: boolean }
  /** A signature is stored, and has to be sent. */
  | { readonly at: 'signed' }
  /** The wallet has sent the transaction. */
  | { readonly at: 'sent' }
  /** Another tab of this browser is paying this order. */
  | { readonly at: 'elsewhere' }
  /** What the wallet would have signed is not what the screen says. */
  | { readonly at: 'untrue' }
  | { readonly at: 'stopped'; readonly wallet: SolanaWallet; readonly notice: Notice }

type Steps = AsyncGenerator<SolanaStep, void>

export const payOnSolana: Flow<SolanaInput, SolanaStep> = async function* (ports, input, signal) {
  switch (input.do) {
    case 'connect':
      return yield* connect(ports, input, signal)
    case 'pay':
      return yield* pay(ports, input.review, signal)
    default:
      return input satisfies never
  }
}

type Connecting = Extract<SolanaInput, { do: 'connect' }>

async function* connect(ports: FlowPorts, input: Connecting, signal: AbortSignal): Steps {
  const { wallet } = input
  yield { at: 'connecting', wallet, slow: false }
  try {
    const connecting = featuresOf(wallet)['standard:connect']?.connect()
    if (!connecting) return
    if (await isSlow(connecting)) yield { at: 'connecting', wallet, slow: true }
    const account = (await connecting).accounts.find(({ chains }) => chains.some((chain) => chain.startsWith('solana:')))
    if (!account) return yield { at: 'stopped', wallet, notice: { code: 'locked' } }
    remember(wallet)
    const review = await reviewOf(ports, input, account, signal)
    yield review ? { at: 'review', review } : { at: 'stopped', wallet, notice: { code: 'closed' } }
  } catch (error) {
    yield { at: 'stopped', wallet, notice: noticeOf(error) }
  }
}

/** Asks for instructions, unless the order has those. Returns undefined if the order cannot be paid on the network. */
const reviewOf = async (
  ports: FlowPorts,
  { wallet, currency: wanted, rest }: Connecting,
  account: Account,
  signal: AbortSignal,
): Promise<SolanaReview | undefined> => {
  if (rest) return withCost(ports, { ...rest, wallet, account, isRest: true, cost: undefined, others: [] }, signal)
  const payable = payableOn(ports.order(), 'solana')
  const currency = wanted ?? payable.find((each) => dueIn(ports.order(), each)) ?? payable[0]
  if (!currency) return undefined
  const { id } = ports.order()
  if (!dueIn(ports.order(), currency)) {
    const { chain_id, address = null } = currency
    await ports.api.requestPayment(id, { currency: { chain_id, address } }, signal)
    await ports.refresh()
  }
  const due = dueIn(ports.order(), currency)
  const others = payable.filter((each) => !sameCurrency(each, currency))
  return due && withCost(ports, { ...due, wallet, account, isRest: false, cost: undefined, others }, signal)
}

const withCost = async (ports: FlowPorts, review: SolanaReview, signal?: AbortSignal, mayBeNone = true): Promise<SolanaReview> => {
  try {
    const response = await post(ports, 'cost', { ...askOf(review), ...(!mayBeNone && { signs_only: false }) }, signal)
    const json: unknown = response.ok ? await response.json() : undefined
    return { ...review, cost: isObject(json) ? costOf(json, review.due.currency) : undefined }
  } catch {
    // Other services do not say it.
    return { ...review, cost: undefined }
  }
}

const costOf = ({ network_fee, account }: Readonly<Record<string, unknown>>, currency: CurrencyRead): Cost | undefined => {
  const [fee, opening] = [networkCost(network_fee, currency), networkCost(account, currency)]
  return fee === undefined || opening === undefined ? undefined : { fee, account: opening }
}

/** Fees and accounts are paid in coins, whatever the payer pays in. */
const networkCost = (value: unknown, currency: CurrencyRead): NetworkCost | null | undefined => {
  if (value === null) return null
  if (!isObject(value) || typeof value.raw !== 'string' || !/^\d{1,20}$/.test(value.raw)) return undefined
  const { raw, fiat } = value
  const isShown = isObject(fiat) && typeof fiat.amount === 'number' && typeof fiat.unit === 'string'
  return {
    funds: { raw: BigInt(raw), currency: { ...currency, address: nativeAddress, symbol: 'SOL', name: 'Solana', decimals: 9 } },
    fiat: isShown ? { amount: fiat.amount as number, unit: fiat.unit as string } : undefined,
  }
}

/** Returns what the order's instructions ask for, if they are in this currency. */
const dueIn = (order: OrderRead, currency: CurrencyRead): Pick<SolanaReview, 'due' | 'to'> | undefined => {
  const asked = order.payment?.steps?.find(({ kind }) => kind === 'deposit')?.data
  if (!asked?.deposit_address || !asked.currency || !sameCurrency(asked.currency, currency)) return undefined
  return asked.amount && /^[1-9]\d{0,19}$/.test(asked.amount)
    ? { to: asked.deposit_address, due: { raw: BigInt(asked.amount), currency: asked.currency } }
    : undefined
}

/** The wallet has signed or sent, or the page has not asked it. */
type Outcome =
  | { readonly signed: Uint8Array; readonly offer: object }
  | { readonly sent: string; readonly transaction: string }
  | 'sent before'
  | 'untrue'
  /** The service does not pay the fee after all. */
  | { readonly review: SolanaReview }

/** A wallet may still show these requests, by order. They cannot be withdrawn, so a second tap awaits the first request. */
const openRequests = new Map<string, Promise<Outcome>>()

async function* pay(ports: FlowPorts, review: SolanaReview, signal: AbortSignal): Steps {
  const { id } = ports.order()
  const release = await takeLock(id, { wait: false, signal })
  if (!release) return yield { at: 'elsewhere' }
  try {
    yield { at: 'asking', review, slow: false }
    const request = openRequests.get(id) ?? startRequest(ports, review)
    if (await isSlow(request)) yield { at: 'asking', review, slow: true }
    const outcome = await request
    if (outcome === 'untrue') return yield { at: 'untrue' }
    if (outcome === 'sent before') return yield { at: 'sent' }
    if ('review' in outcome) return yield { at: 'review', review: outcome.review }
    if ('sent' in outcome) {
      yield { at: 'sent' }
      // Reporting it only makes the service see the payment sooner, so a failure is ignored.
      await ports.api.findTransaction(id, outcome.sent, signal).catch(() => undefined)
      await ports.refresh()
      return
    }
    // A payer who has left does not want to pay any more, so the signature is not sent.
    if (signal.aborted) return
    keep(id, {
      header: encodeHeader({ x402Version: 2, accepted: outcome.offer, payload: { transaction: toBase64(outcome.signed) } }),
      until: ports.now() + signatureMs,
      from: review.account.address,
    })
    yield { at: 'signed' }
  } catch (error) {
    if (!signal.aborted) yield { at: 'review', review, notice: noticeOf(error) }
  } finally {
    release()
  }
}

/** The network takes a transaction for about a minute. */
const signatureMs = 60_000

/** A tab never has the same transaction sent twice, so it stores what was sent. */
const keyOf = (orderId: string, { due, to }: Pick<SolanaReview, 'due' | 'to'>) => `till:solana:${orderId}:${to}:${due.raw}`

const startRequest = (ports: FlowPorts, review: SolanaReview): Promise<Outcome> => {
  const { id } = ports.order()
  const request = askWallet(ports, review)
  openRequests.set(id, request)
  const done = () => openRequests.delete(id)
  // It is stored even if the payer has left, because the wallet may still send it.
  request
    .then((outcome) => typeof outcome === 'object' && 'sent' in outcome && tabStorage.set(keyOf(id, review), outcome.transaction))
    .then(done, done)
  return request
}

const askWallet = async (ports: FlowPorts, review: SolanaReview): Promise<Outcome> => {
  const { wallet, account } = review
  const { transaction, offer } = await build(ports, review)
  const bytes = fromBase64(transaction)
  if (!isAsShown(review, bytes, offer)) return 'untrue'
  if (!offer && tabStorage.get(keyOf(ports.order().id, review)) === transaction) return 'sent before'
  if (!offer && review.cost?.fee === null) return { review: await withCost(ports, review, undefined, false) }
  const { 'solana:signTransaction': signing, 'solana:signAndSendTransaction': sending } = featuresOf(wallet)
  const chain = account.chains.find((each) => each.startsWith('solana:')) ?? 'solana:mainnet'
  if (offer) {
    const [signed] = (await signing?.signTransaction({ account, transaction: bytes, chain })) ?? []
    if (!signed) throw new Error('the wallet has signed nothing')
    return { signed: signed.signedTransaction, offer: offer.raw }
  }
  const [sent] = (await sending?.signAndSendTransaction({ account, transaction: bytes, chain })) ?? []
  if (!sent) throw new Error('the wallet has sent nothing')
  return { sent: encodeBase58(sent.signature), transaction }
}

/** Whoever signs this pays no network fee. The payment echoes all of it. */
interface Offer {
  readonly asset: unknown
  readonly payTo: unknown
  readonly amount: unknown
  readonly feePayer: string
  readonly raw: object
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null

const offerOf = (raw: unknown): Offer | undefined =>
  isObject(raw) && isObject(raw.extra) && typeof raw.extra.feePayer === 'string'
    ? { asset: raw.asset, payTo: raw.payTo, amount: raw.amount, feePayer: raw.extra.feePayer, raw }
    : undefined

const post = (ports: FlowPorts, what: 'transaction' | 'cost', ask: object, signal?: AbortSignal): Promise<Response> =>
  ports.api.post(`/orders/${encodeURIComponent(ports.order().id)}/solana/${what}`, { 'Content-Type': 'application/json' }, signal, ask)

const askOf = ({ wallet, account, due, isRest }: SolanaReview): object => ({
  chain_id: due.currency.chain_id,
  token_address: mintOf(due.currency),
  payer: account.address,
  amount: due.raw.toString(),
  signs_only: !isRest && 'solana:signTransaction' in featuresOf(wallet),
})

const build = async (ports: FlowPorts, review: SolanaReview): Promise<{ transaction: string; offer: Offer | undefined }> => {
  const response = await post(ports, 'transaction', askOf(review))
  const json: unknown = await response.json().catch(() => undefined)
  const answer = isObject(json) ? json : {}
  if (!response.ok) throw new Refused(response.status, typeof answer.message === 'string' ? answer.message : '')
  return { transaction: String(answer.transaction), offer: offerOf(answer.offer) }
}

const isAsShown = ({ account, due, to }: SolanaReview, bytes: Uint8Array, offer: Offer | undefined): boolean => {
  const mint = mintOf(due.currency)
  if (offer && (offer.asset !== mint || offer.payTo !== to || offer.amount !== due.raw.toString())) return false
  const feePayer = offer ? offer.feePayer : account.address
  if (offer && feePayer === account.address) return false
  return paysExactly(bytes, { from: account.address, to, mint, amount: due.raw, decimals: due.currency.decimals, feePayer })
}

const mintOf = ({ address }: CurrencyRead): string | null => (!address || address === nativeAddress ? null : address)

/** It has the members of the client's own errors, so both are read alike. */
class Refused extends Error {
  override readonly name = 'Refused'
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message)
  }
}

/** What the service does not refuse comes from the wallet. */
const noticeOf = (error: unknown): Notice => {
  const isOurs = error instanceof Error && 'status' in error
  return refusalOfService(error) ?? { code: isOurs ? 'failed' : refusalOf(error) }
}

const toBase64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes))
const fromBase64 = (text: string): Uint8Array<ArrayBuffer> => {
  try {
    return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))
  } catch {
    return new Uint8Array()
  }
}
