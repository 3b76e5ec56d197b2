import type { Funds } from '../../wire/funds.ts'
import type { Flow, FlowPorts } from '../method.ts'
import { pendingTransfer } from './asked-transfer.ts'
import { type Answer, completeX402 } from './complete-x402.ts'
import type { Connection } from './connected-wallet.ts'
import { deliver, refreshAndEnd } from './deliver-signature.ts'
import { connectWallet, listWallets, type FindStep, pairWallet } from './find-wallet.ts'
import { type Holding, isEnough, readHoldings } from './holdings.ts'
import { isOrderAddress } from './is-order-address.ts'
import { type Kept, keptFor } from './kept-signature.ts'
import { takeLock } from './lock.ts'
import type { Notice } from './notice.ts'
import { type PaymentRequired, fundsOfOffer, type Offer } from './offers.ts'
import { payByTransfer, type SendStep, type TransferInput } from './pay-by-transfer.ts'
import { chainOf } from './reads.ts'
import { askForSignature, checkAndReview, switchNetwork, untilOf } from './sign.ts'
import type { SolanaInput, SolanaStep } from './solana/pay-on-solana.ts'
import type { Wallet } from './wallets.ts'

/**
 * Pays with what a wallet holds: with a single signature where the token takes one, and otherwise by a transfer (pay-by-transfer.ts).
 *
 * 1. If a stored signature is still valid, it is sent again without asking the wallet. If a wallet may still send a transfer, no other is asked.
 * 2. The payer chooses a wallet. While it connects, the service is asked what may be signed, and then what the account could pay with.
 * 3. The page takes the best of it, checks the network and the balance, and shows everything that will be signed, and what else could pay.
 * 4. Only one tab at a time asks the wallet (lock.ts). The signature is stored before it is sent, and while it may still pay the order.
 */
export type SignatureInput =
  | { readonly do: 'list' | 'pair' }
  | { readonly do: 'connect'; readonly wallet: Wallet }
  | { readonly do: 'switch' | 'sign'; readonly review: Review }
  | { readonly do: 'choose'; readonly purse: Purse; readonly holding: Holding }
  | { readonly do: 'transfer'; readonly purse?: Purse; readonly input: TransferInput }
  | { readonly do: 'solana'; readonly input: SolanaInput }
  | { readonly do: 'resend'; readonly review?: Review }

/** A connected wallet, and what it could pay with, the best first. */
export interface Purse {
  readonly wallet: Wallet
  readonly connection: Connection
  readonly asked: PaymentRequired
  readonly holdings: readonly Holding[]
}

/** The payer reviews this before signing. Only `until` moves on until the wallet is asked to sign. */
export interface Review extends Purse {
  readonly offer: Offer
  readonly funds: Funds
  /** The signature expires at this time, in unix milliseconds. */
  readonly until: number
}

export type SignatureStep =
  | FindStep
  | { readonly at: 'review'; readonly review: Review; readonly needs: 'sign' | 'switch' | 'money' | 'resend'; readonly notice?: Notice }
  | { readonly at: 'signing'; readonly review: Review; readonly slow: boolean }
  | { readonly at: 'solana'; readonly step: SolanaStep }
  /** Without a purse no wallet is connected, since the page was reloaded. */
  | { readonly at: 'transfer'; readonly step: SendStep; readonly purse: Purse | undefined }
  | { readonly at: 'sending'; readonly slow: boolean }
  /** The signature is stored, but the service has not answered, or the transfer has failed. */
  | { readonly at: 'unsent'; readonly review: Review | undefined; readonly notice: Notice }
  /** Another tab of this browser is paying this order. */
  | { readonly at: 'elsewhere' }
  | { readonly at: 'over'; readonly notice: Notice }

type Steps = AsyncGenerator<SignatureStep, void>

export const payBySignature: Flow<SignatureInput, SignatureStep> = async function* (ports, input, signal) {
  switch (input.do) {
    case 'list':
    case 'resend': {
      const kept = keptFor(ports.order().id, ports.now())
      const review = input.do === 'resend' ? input.review : undefined
      if (kept) yield* withLock(ports, signal, () => send(ports, kept, review, signal))
      else if (review) yield* checkAndReview(ports, review, signal)
      else yield* transfer(ports, undefined, { do: 'list' }, signal)
      return
    }
    case 'connect':
      return yield* connectAndOffer(ports, input.wallet, signal)
    case 'pair': {
      const paired = yield* pairWallet(ports, ports.order().fulfillment?.asset?.chain_id, signal)
      if (paired) yield* connectAndOffer(ports, paired, signal)
      return
    }
    case 'switch':
      return yield* switchNetwork(ports, input.review, signal)
    case 'sign':
      return yield* withLock(ports, signal, () => signAndSend(ports, input.review, signal))
    case 'choose':
      return yield* withLock(ports, signal, () => choose(ports, input.purse, input.holding, signal))
    case 'transfer':
      return yield* withLock(ports, signal, () => transfer(ports, input.purse, input.input, signal))
    case 'solana':
      return yield* onSolana(ports, input.input, signal)
    default:
      return input satisfies never
  }
}

/** Only who has a wallet of Solana loads its code. What such a wallet has signed is sent like any other signature. */
async function* onSolana(ports: FlowPorts, input: SolanaInput, signal: AbortSignal): Steps {
  const pending = pendingTransfer(ports.order())
  if (pending) return yield { at: 'transfer', step: { at: 'pending', transfer: pending }, purse: undefined }
  const part = await import('./solana/pay-on-solana.ts').catch(() => undefined)
  if (!part) return yield* listWallets(ports, signal, { code: 'unsent' })
  for await (const step of part.payOnSolana(ports, input, signal)) {
    const kept = step.at === 'signed' ? keptFor(ports.order().id, ports.now()) : undefined
    if (kept) yield* send(ports, kept, undefined, signal)
    else yield { at: 'solana', step }
  }
}

async function* connectAndOffer(ports: FlowPorts, chosen: Wallet, signal: AbortSignal, notice?: Notice): Steps {
  const answer = completeX402(ports.api.post, ports.order().id, undefined, signal)
  const connection = yield* connectWallet(ports, chosen, signal)
  if (connection) yield* chooseBest(ports, chosen, connection, await answer, signal, notice)
}

/** Without an answer about what the account holds, an offer on the wallet's current network is preferred, so that the payer need not switch. */
async function* chooseBest(
  ports: FlowPorts,
  wallet: Wallet,
  connection: Connection,
  answer: Answer,
  signal: AbortSignal,
  notice?: Notice,
): Steps {
  if (answer.at !== 'asked') {
    return yield* answer.at === 'silent'
      ? listWallets(ports, signal, { code: 'unsent' })
      : refreshAndEnd(ports, answer.at === 'refused' ? { code: 'service_message', message: answer.message } : { code: 'closed' })
  }
  const { asked } = answer
  const known = asked.offers.flatMap((offer) => {
    const funds = isOrderAddress(ports, offer.payTo) ? fundsOfOffer(offer, ports.order()) : undefined
    return funds ? [{ offer, funds }] : []
  })
  const offers = known.map(({ offer }) => offer)
  const current = await chainOf(wallet.provider)
  const holdings = await readHoldings(ports, connection.from, offers, current, signal)
  if (signal.aborted) return
  const purse = { wallet, connection, asked, holdings }
  const [best] = holdings
  const offered =
    known.find(({ offer }) => offer === best?.offer && isEnough(best)) ?? known.find(({ offer }) => offer.chainId === current) ?? known[0]
  if (best && !best.offer && (isEnough(best) || !offered)) return yield* planTransfer(ports, purse, best, signal)
  if (!offered) return yield* refreshAndEnd(ports, { code: 'closed' })
  yield* checkAndReview(ports, { ...purse, ...offered, until: untilOf(ports, offered.offer) }, signal, notice)
}

/** Instructions fix a price, so the service is asked for them only if the account has enough. */
async function* planTransfer(ports: FlowPorts, purse: Purse, { due, balance }: Holding, signal: AbortSignal): Steps {
  const { wallet, connection } = purse
  if (balance >= due.raw) return yield* transfer(ports, purse, { do: 'plan', wallet, connection, due }, signal)
  const plan = { wallet, connection, rest: { to: '', due }, fee: undefined }
  yield {
    at: 'transfer',
    purse,
    step: { at: 'plan', plan, needs: 'money', notice: { code: 'insufficient_balance', has: { ...due, raw: balance } } },
  }
}

/** The network is switched at once if it has to be, so that the next tap pays, and the payer has seen by then what the wallet will ask. */
async function* choose(ports: FlowPorts, purse: Purse, { offer, due }: Holding, signal: AbortSignal): Steps {
  const { wallet, connection } = purse
  if (!offer) return yield* transfer(ports, purse, { do: 'choose', wallet, connection, due }, signal)
  const review = { ...purse, offer, funds: due, until: untilOf(ports, offer) }
  const isThere = (await chainOf(wallet.provider)) === offer.chainId
  yield* isThere ? checkAndReview(ports, review, signal) : switchNetwork(ports, review, signal)
}

async function* transfer(ports: FlowPorts, purse: Purse | undefined, input: TransferInput, signal: AbortSignal): Steps {
  for await (const step of payByTransfer(ports, input, signal)) {
    switch (step.at) {
      case 'plan':
      case 'asking':
      case 'sent':
      case 'pending':
        yield { at: 'transfer', step, purse }
        break
      default:
        yield step
    }
  }
}

/** If another tab is paying this order, this one waits for it, fetches the order, and lists the wallets in case it is still unpaid. */
async function* withLock(ports: FlowPorts, signal: AbortSignal, work: () => Steps): Steps {
  const orderId = ports.order().id
  let release = await takeLock(orderId, { wait: false, signal })
  if (!release) {
    yield { at: 'elsewhere' }
    release = await takeLock(orderId, { wait: true, signal }).catch(() => undefined)
    if (!release) return
    release()
    await ports.refresh().catch(() => undefined)
    return yield* transfer(ports, undefined, { do: 'list' }, signal)
  }
  // When the payer leaves, the lock is released at once, although the wallet may still show the request.
  signal.addEventListener('abort', release, { once: true })
  try {
    yield* work()
  } finally {
    release()
  }
}

async function* signAndSend(ports: FlowPorts, review: Review, signal: AbortSignal): Steps {
  const pending = pendingTransfer(ports.order())
  if (pending) return yield { at: 'transfer', step: { at: 'pending', transfer: pending }, purse: review }
  const signed = yield* askForSignature(ports, review, signal)
  // The payer has changed the account in the wallet, so the page shows the new one before anything is signed.
  if (signed === 'account') yield* connectAndOffer(ports, review.wallet, signal, { code: 'account' })
  else if (signed) yield* send(ports, signed.kept, signed.review, signal)
}

async function* send(ports: FlowPorts, kept: Kept, review: Review | undefined, signal: AbortSignal): Steps {
  try {
    const again = yield* deliver(ports, kept, review, signal)
    if (!again) return
    if (review) yield* chooseBest(ports, review.wallet, review.connection, again.answer, signal, again.notice)
    else yield* listWallets(ports, signal, again.notice)
  } finally {
    // The page may switch to the receipt before the answer arrives, so the wallet's session is ended here as well.
    if (signal.aborted) review?.wallet.leave?.()
  }
}
