import type { Funds } from '../../wire/funds.ts'
import type { Flow, FlowPorts } from '../method.ts'
import { paymentHeader } from './authorization.ts'
import type { Connection } from './connected-wallet.ts'
import { forget, keep, type Kept, keptFor } from './kept-signature.ts'
import { takeLock } from './lock.ts'
import { connectWallet, isSlow, listWallets, type FindStep, pairWallet, slowMs } from './find-wallet.ts'
import { isOrderAddress } from './is-order-address.ts'
import { isWorthKeeping, lacksMoney, type Notice, noticeOfReason } from './notice.ts'
import { type PaymentRequired, fundsOfOffer, type Offer } from './offers.ts'
import { type Answer, completeX402 } from './complete-x402.ts'
import { refusalOf } from './provider.ts'
import { balanceOf, chainOf, hasAccount } from './reads.ts'
import type { SolanaInput, SolanaStep } from './solana/pay-on-solana.ts'
import type { Wallet } from './wallets.ts'

/**
 * Pays with a single signature.
 *
 * 1. If a stored signature is still valid, it is sent again without asking the wallet.
 * 2. The payer chooses a wallet. While it connects, the service is asked what may be signed.
 * 3. The page checks the network and the balance, and shows everything that will be signed.
 * 4. Only one tab at a time asks the wallet (lock.ts). The signature is stored before it is sent, and while it may still pay the order.
 */
export type SignatureInput =
  | { readonly do: 'list' | 'pair' }
  | { readonly do: 'connect'; readonly wallet: Wallet }
  | { readonly do: 'switch' | 'sign'; readonly review: Review }
  | { readonly do: 'solana'; readonly input: SolanaInput }
  | { readonly do: 'resend'; readonly review?: Review }

/** The payer reviews this before signing. Only `until` is set anew when the wallet is asked to sign. */
export interface Review {
  readonly wallet: Wallet
  readonly connection: Connection
  readonly asked: PaymentRequired
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
  | { readonly at: 'sending'; readonly slow: boolean }
  /** The signature is stored, but the service has not answered, or the transfer has failed. */
  | { readonly at: 'unsent'; readonly review: Review | undefined; readonly notice: Notice }
  /** Another tab of this browser is paying this order. */
  | { readonly at: 'elsewhere' }
  | { readonly at: 'over'; readonly notice: Notice }

type Steps = AsyncGenerator<SignatureStep, void>

const maxUnanswered = 4
const retryMs = 1_500

export const payBySignature: Flow<SignatureInput, SignatureStep> = async function* (ports, input, signal) {
  switch (input.do) {
    case 'list':
    case 'resend': {
      const kept = keptFor(ports.order().id, ports.now())
      const review = input.do === 'resend' ? input.review : undefined
      if (kept) yield* withLock(ports, signal, () => send(ports, kept, review, signal))
      else if (review) yield* checkAndReview(ports, review, signal)
      else yield* listWallets(ports, signal)
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
      return yield* withLock(ports, signal, () => sign(ports, input.review, signal))
    case 'solana':
      return yield* onSolana(ports, input.input, signal)
    default:
      return input satisfies never
  }
}

/** Only who has a wallet of Solana loads its code. What such a wallet has signed is sent like any other signature. */
async function* onSolana(ports: FlowPorts, input: SolanaInput, signal: AbortSignal): Steps {
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
  if (connection) yield* chooseOffer(ports, chosen, connection, await answer, signal, notice)
}

/** Prefers an offer on the wallet's current network, so that the payer need not switch. */
async function* chooseOffer(
  ports: FlowPorts,
  chosen: Wallet,
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
  const known = answer.asked.offers.flatMap((offer) => {
    const funds = isOrderAddress(ports, offer.payTo) ? fundsOfOffer(offer, ports.order()) : undefined
    return funds ? [{ offer, funds }] : []
  })
  const current = await chainOf(chosen.provider)
  const best = known.find(({ offer }) => offer.chainId === current) ?? known[0]
  if (!best) return yield* refreshAndEnd(ports, { code: 'closed' })
  const review = { wallet: chosen, connection, asked: answer.asked, ...best, until: untilOf(ports, best.offer) }
  yield* checkAndReview(ports, review, signal, notice)
}

const untilOf = (ports: FlowPorts, offer: Offer): number => ports.now() + offer.maxTimeoutSeconds * 1000

/** Checks the network and the balance first, so that the payer is not asked for a signature that cannot pay. */
async function* checkAndReview(ports: FlowPorts, review: Review, signal: AbortSignal, notice?: Notice): Steps {
  const {
    wallet: { provider },
    offer,
    connection,
    funds,
  } = review
  const chain = await chainOf(provider)
  const fresh = { ...review, until: untilOf(ports, offer) }
  if (chain !== undefined && chain !== offer.chainId) return yield { at: 'review', review: fresh, needs: 'switch', notice }
  const balance = await balanceOf(provider, offer.token, connection.from)
  if (signal.aborted) return
  if (balance !== undefined && balance < offer.amount)
    return yield { at: 'review', review: fresh, needs: 'money', notice: { code: 'insufficient_balance', has: { ...funds, raw: balance } } }
  yield { at: 'review', review: fresh, needs: 'sign', notice }
}

async function* switchNetwork(ports: FlowPorts, review: Review, signal: AbortSignal): Steps {
  yield { at: 'connecting', wallet: review.wallet, slow: false }
  try {
    const asked = review.connection.switchTo(review.offer.chainId)
    if (await isSlow(asked)) yield { at: 'connecting', wallet: review.wallet, slow: true }
    await asked
    yield* checkAndReview(ports, review, signal)
  } catch (error) {
    yield { at: 'review', review, needs: 'switch', notice: { code: refusalOf(error) } }
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
    return yield* listWallets(ports, signal)
  }
  // When the payer leaves, the lock is released at once, although the wallet may still show the request.
  signal.addEventListener('abort', release, { once: true })
  try {
    yield* work()
  } finally {
    release()
  }
}

/** A wallet may still show a request of this page. A second attempt awaits that request, because two open requests could both be signed. */
const openRequests = new WeakMap<object, ReturnType<typeof requestSignature>>()

async function* sign(ports: FlowPorts, review: Review, signal: AbortSignal): Steps {
  const { id } = ports.order()
  const {
    wallet: { provider },
    connection,
    offer,
  } = review
  const before = keptFor(id, ports.now())
  if (before) return yield* send(ports, before, review, signal)
  if (!(await hasAccount(provider, connection.from)))
    // The payer has changed the account in the wallet, so the page shows the new one before anything is signed.
    return yield* connectAndOffer(ports, review.wallet, signal, { code: 'account' })

  const waiting = openRequests.get(provider)
  const request = waiting?.orderId === id ? waiting : requestSignature(ports, review)
  const shown = { ...review, until: Number(request.authorization.validBefore) * 1000 }
  yield { at: 'signing', review: shown, slow: false }
  try {
    if (await isSlow(request.signature)) yield { at: 'signing', review: shown, slow: true }
    const signature = await request.signature
    // A payer who has left does not want to pay any more, so the signature is not sent.
    if (signal.aborted) return
    const kept: Kept = {
      header: paymentHeader(review.asked, offer, request.authorization, signature),
      until: shown.until,
      from: connection.from,
    }
    keep(id, kept)
    yield* send(ports, kept, shown, signal)
  } catch (error) {
    if (signal.aborted) return
    const code = refusalOf(error)
    // A paired wallet whose session has ended has to be paired again.
    if (code === 'disconnected' && review.wallet.leave) return yield* listWallets(ports, signal, { code })
    yield {
      at: 'review',
      review: { ...review, until: untilOf(ports, offer) },
      needs: code === 'network' ? 'switch' : 'sign',
      notice: { code },
    }
  }
}

const requestSignature = (ports: FlowPorts, { wallet: { provider }, connection, offer }: Review) => {
  const { id } = ports.order()
  const authorization = connection.authorize(offer, id, ports.now())
  const request = { orderId: id, authorization, signature: connection.sign(offer, authorization) }
  openRequests.set(provider, request)
  const done = () => {
    if (openRequests.get(provider) === request) openRequests.delete(provider)
  }
  request.signature.then(done, done)
  return request
}

async function* send(ports: FlowPorts, kept: Kept, review: Review | undefined, signal: AbortSignal): Steps {
  try {
    yield* deliver(ports, kept, review, signal)
  } finally {
    // The page may switch to the receipt before the answer arrives, so the wallet's session is ended here as well.
    if (signal.aborted) review?.wallet.leave?.()
  }
}

async function* deliver(ports: FlowPorts, kept: Kept, review: Review | undefined, signal: AbortSignal): Steps {
  const { id } = ports.order()
  const began = performance.now()
  let unanswered = 0
  while (!signal.aborted) {
    yield { at: 'sending', slow: performance.now() - began > slowMs }
    const answer = await completeX402(ports.api.post, id, kept.header, signal)
    switch (answer.at) {
      case 'paid':
        await ports.refresh().catch(() => undefined)
        forget(id)
        review?.wallet.leave?.()
        return
      case 'pending':
        unanswered = 0
        await ports.refresh().catch(() => undefined)
        break
      case 'silent':
        if (++unanswered >= maxUnanswered) return yield { at: 'unsent', review, notice: { code: 'unsent' } }
        break
      case 'asked': {
        const reason = answer.reason ?? 'order_not_payable'
        if (isWorthKeeping(reason)) {
          if (review) return yield { at: 'review', review, needs: 'resend', notice: noticeOfReason(reason) }
          // If the account lacks money and offers remain, the payer may choose another wallet. Otherwise a retry sends this signature.
          if (!lacksMoney(reason) || answer.asked.offers.length === 0) return yield { at: 'unsent', review, notice: noticeOfReason(reason) }
        }
        forget(id)
        if (!review) return yield* listWallets(ports, signal, noticeOfReason(reason))
        return yield* chooseOffer(ports, review.wallet, review.connection, answer, signal, noticeOfReason(reason))
      }
      case 'taken':
        return yield* refreshAndEnd(ports, { code: 'service_message', message: answer.message })
      case 'refused':
        forget(id)
        return yield* refreshAndEnd(ports, { code: 'service_message', message: answer.message })
      default:
        return answer satisfies never
    }
    await pause(retryMs * 2 ** Math.max(0, unanswered - 1), signal)
  }
}

/** The order cannot be paid this way now, so it is fetched again for the page to show its current state. */
async function* refreshAndEnd(ports: FlowPorts, notice: Notice): Steps {
  await ports.refresh().catch(() => undefined)
  yield { at: 'over', notice }
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true })
  })
