import type { FlowPorts } from '../method.ts'
import { paymentHeader } from './authorization.ts'
import { isSlow, listWallets } from './find-wallet.ts'
import { keep, type Kept, keptFor } from './kept-signature.ts'
import type { Notice } from './notice.ts'
import type { Offer } from './offers.ts'
import type { Review, SignatureStep } from './pay-by-signature.ts'
import { refusalOf } from './provider.ts'
import { balanceOf, chainOf, hasAccount } from './reads.ts'

type Steps = AsyncGenerator<SignatureStep, void>

export const untilOf = (ports: FlowPorts, offer: Offer): number => ports.now() + offer.maxTimeoutSeconds * 1000

/** Checks the network and the balance first, so that the payer is not asked for a signature that cannot pay. */
export async function* checkAndReview(ports: FlowPorts, review: Review, signal: AbortSignal, notice?: Notice): Steps {
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

export async function* switchNetwork(ports: FlowPorts, review: Review, signal: AbortSignal): Steps {
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

/** A wallet may still show a request of this page. A second attempt awaits that request, because two open requests could both be signed. */
const openRequests = new WeakMap<object, ReturnType<typeof requestSignature>>()

/** What the wallet has signed, or 'account' if the payer has changed the account in it. */
type Outcome = { readonly kept: Kept; readonly review: Review } | 'account' | undefined

export async function* askForSignature(ports: FlowPorts, review: Review, signal: AbortSignal): AsyncGenerator<SignatureStep, Outcome> {
  const { id } = ports.order()
  const { provider } = review.wallet
  const before = keptFor(id, ports.now())
  if (before) return { kept: before, review }
  if (!(await hasAccount(provider, review.connection.from))) return 'account'

  const waiting = openRequests.get(provider)
  const request = waiting?.orderId === id ? waiting : requestSignature(ports, review)
  // The payer may have chosen another currency since, but the wallet shows this one.
  const { offer, connection } = request.review
  const shown = { ...request.review, until: Number(request.authorization.validBefore) * 1000 }
  yield { at: 'signing', review: shown, slow: false }
  try {
    if (await isSlow(request.signature)) yield { at: 'signing', review: shown, slow: true }
    const signature = await request.signature
    // A payer who has left does not want to pay any more, so the signature is not sent.
    if (signal.aborted) return undefined
    const kept: Kept = {
      header: paymentHeader(review.asked, offer, request.authorization, signature),
      until: shown.until,
      from: connection.from,
    }
    keep(id, kept)
    return { kept, review: shown }
  } catch (error) {
    if (signal.aborted) return undefined
    const code = refusalOf(error)
    // A paired wallet whose session has ended has to be paired again.
    if (code === 'disconnected' && review.wallet.leave) yield* listWallets(ports, signal, { code })
    else
      yield {
        at: 'review',
        review: { ...review, until: untilOf(ports, offer) },
        needs: code === 'network' ? 'switch' : 'sign',
        notice: { code },
      }
    return undefined
  }
}

const requestSignature = (ports: FlowPorts, review: Review) => {
  const { id } = ports.order()
  const {
    wallet: { provider },
    connection,
    offer,
  } = review
  const authorization = connection.authorize(offer, id, ports.now())
  const request = { orderId: id, review, authorization, signature: connection.sign(offer, authorization) }
  openRequests.set(provider, request)
  const done = () => {
    if (openRequests.get(provider) === request) openRequests.delete(provider)
  }
  request.signature.then(done, done)
  return request
}
