import type { ChainId } from '../../../src/wire/chain.ts'
import type { PaymentRequirements, PaymentResponse } from '../../../src/wire/x402.ts'
import { chainOf } from '../../chains/chain.ts'
import type { Report } from '../../chains/payouts.ts'
import { gasLimitExceeded, type SignableToken, type SignedPayment, type X402Limits, type X402Scheme } from '../../chains/x402.ts'
import { afterCommit } from '../../database/transaction.ts'
import { forEachConcurrently } from '../../lib/for-each-concurrently.ts'
import { pause } from '../../lib/pause.ts'
import type { Engine } from '../../orders/engine.ts'
import { hasGasForWallet } from '../../orders/gas-budget.ts'
import { sameAsset } from '../../orders/model/asset.ts'
import { takesAuthorization } from '../../orders/model/choosing.ts'
import type { Order } from '../../orders/model/order.ts'
import {
  type Authorization,
  authorizationById,
  authorizationsOf,
  isSame,
  liveAuthorization,
  overdueAuthorizations,
} from './authorizations.ts'
import { claim } from './claim.ts'
import { maxTimeoutSeconds, type Offer, offerAccepted, openOffers, type Preference } from './offers.ts'
import { createOutcomes } from './outcomes.ts'
import { prepare } from './prepare.ts'
import { askMs, reconciler } from './reconcile.ts'
import { x402Report } from './report.ts'
import { schemeOf } from './scheme-of.ts'

/**
 * Takes wallet payments by one signature (x402 version 2, scheme exact) on the chains that can. These invariants hold:
 *
 * 1. An order has at most one stored authorisation that has not failed: unique indexes cover the order and the token's nonce.
 * 2. One transaction stores the authorisation, claims the order's quote and enqueues the send, before anything is broadcast.
 * 3. A payload is claimed only after the official library has verified it. From then on our books and the chain decide its outcome.
 * 4. No database transaction is open during a request to a chain.
 */
export interface X402 {
  /** Lists the offers that may be signed, and none while another authorisation is live. */
  accepts(order: Order, preference?: Preference): Promise<readonly PaymentRequirements[]>
  /** Parses a payload by the scheme of its network, or else by any scheme, so that a wrong offer is not reported as an unreadable payload. */
  read(payload: unknown, network: string): SignedPayment | undefined
  complete(order: Order, payment: SignedPayment): Promise<Completion>
  /** Returns whether a signature for this order has moved money or still may. */
  isTaken(order: Order): Promise<boolean>
  /**
   * Offers one token to a wallet that will see beforehand whether the payment succeeds, so what it needs on the chain is put there first. Returns
   * undefined if the operator does not pay for it.
   */
  offerTo(order: Order, token: SignableToken & { readonly chainId: ChainId }): Promise<PaymentRequirements | undefined>
  readonly reports: Readonly<Record<string, Report>>
  run(signal: AbortSignal): Promise<void>
}

export type Completion =
  | { readonly at: 'paid' | 'pending'; readonly response: PaymentResponse }
  /** The payment was not claimed, or its transaction failed after the claim. Only the second case has a response. */
  | { readonly at: 'refused'; readonly reason: string; readonly response?: PaymentResponse }
  | { readonly at: 'conflict'; readonly message: string }
  | { readonly at: 'over_budget' }

export interface X402Parts {
  readonly engine: Engine
  /** Only these factories may deploy a payer's contract wallet (ERC-6492). */
  readonly allowedFactories?: readonly string[]
  /** The operator pays for at most this much gas: here for a payer's transfer, below for deploying a payer's contract wallet. */
  readonly gasLimit: number
  readonly walletGasLimit: number
  /** One receipt is enough to report OPTIMISTIC_CONFIRMED if this is set. The settlement still waits for all confirmations. */
  readonly acceptEarly?: boolean
  /** A request waits this long for the outcome, then answers that the payment is pending. */
  readonly waitMs?: number
}

const noOffer = 'No matching payment requirements'
/** A payer's clock may be ahead of ours by this much. */
const clockSkewSeconds = 300
const reconcileEveryMs = 2_000

export function createX402(parts: X402Parts): X402 {
  const { engine, allowedFactories = [], acceptEarly = false, waitMs = 8_000 } = parts
  const { sql, clock } = engine
  const limits: X402Limits = { transferGas: BigInt(parts.gasLimit), preparationGas: BigInt(parts.walletGasLimit), allowedFactories }
  const schemes = [...engine.chains.values()].flatMap((chain) => chain.x402 ?? [])
  const outcomes = createOutcomes()
  const { recordIfMined, adoptExternalBroadcast, reconcile } = reconciler(engine, outcomes, acceptEarly)

  const responseOf = ({ chainId, txHash, network, payer }: Authorization, reason?: string): PaymentResponse => ({
    success: reason === undefined,
    ...(reason === undefined ? {} : { errorReason: reason }),
    transaction: txHash ?? '',
    network,
    payer: chainOf(engine.chains.values(), chainId).addresses.show(payer),
  })

  return {
    accepts: async (order, preference) => {
      const open = openOffers(engine, order, clock(), preference)
      if (open.length === 0 || (await liveAuthorization(sql, order.id))) return []
      const affordable = await Promise.all(open.map((offer) => isAffordable(order, offer)))
      return open.flatMap(({ requirements }, i) => (affordable[i] ? [requirements] : []))
    },

    isTaken: async ({ id }) => {
      const live = await liveAuthorization(sql, id)
      return live !== undefined && !(await reconcile(live))
    },

    offerTo: async (order, token) => {
      const offer = openOffers(engine, order, clock()).find(({ quote }) => sameAsset(quote.source, token))
      if (!offer || !(await isAffordable(order, offer))) return undefined
      const { requirements } = offer
      const { scheme } = schemeOf(engine, token.chainId)
      const preparation = await scheme.preparation?.(sql, order.id, requirements, AbortSignal.timeout(askMs))
      const { transactionFailed } = scheme
      const deadline = performance.now() + waitMs
      const problem = preparation && (await prepare(engine, outcomes, order, preparation, { transactionFailed, deadline }))
      return problem === undefined ? requirements : undefined
    },

    read: (payload, network) => {
      const named = schemes.filter((scheme) => scheme.network === network)
      for (const scheme of named.length > 0 ? named : schemes) {
        const payment = scheme.read(payload)
        if (payment) return payment
      }
      return undefined
    },

    complete: async (order, payment) => {
      const { accepted, transfer } = payment
      const now = clock()
      const offer = offerAccepted(engine, order, accepted, now)
      const known = (await authorizationsOf(sql, order.id)).find((authorization) => isSame(authorization, transfer))
      if (known?.state === 'settled' || known?.state === 'pending')
        return reportOf(order, payment, await waitForOutcome(known, performance.now() + waitMs), offer)

      const isOpen = takesAuthorization(order, now)
      const closed: Completion = { at: 'conflict', message: `This order can no longer be paid this way: it is ${order.status}.` }
      // A failed signature keeps others from being claimed until it expires, so the payer must not choose an arbitrarily late expiry.
      const latest = BigInt(Math.floor(now / 1000) + maxTimeoutSeconds + clockSkewSeconds)
      if (!known && isOpen && transfer.validBefore !== undefined && transfer.validBefore > latest)
        return { at: 'refused', reason: 'authorization_valid_too_long' }
      if (!offer) return isOpen ? { at: 'refused', reason: noOffer } : closed

      const { chain, scheme } = schemeOf(engine, offer.quote.source.chainId)
      const signal = AbortSignal.timeout(askMs)
      const verdict = await payment.verify(offer.requirements, limits, signal)
      if (!verdict.ok) {
        if (verdict.mayBeUsed) {
          const status = await scheme.status(sql, transfer, order.createdAt, signal)
          if (status.at === 'paid')
            return { at: 'paid', response: responseOf(await adoptExternalBroadcast(order, transfer, chain.id, status.txHash)) }
        }
        if (known?.state === 'refused') return { at: 'refused', reason: verdict.reason, response: responseOf(known, verdict.reason) }
        return isOpen ? { at: 'refused', reason: verdict.reason } : closed
      }
      if (!isOpen) return closed
      if (offer.quote.expiresAt <= now) return { at: 'refused', reason: noOffer }
      if (!(await hasGasForWallet(engine, order, chain.id))) return { at: 'over_budget' }

      const deadline = performance.now() + waitMs
      return (await ensurePrepared(order, payment, scheme, deadline)) ?? pay(order, payment, offer, deadline)
    },

    reports: {
      x402: x402Report(engine, outcomes),
      x402_wallet: async (tx, { id }) => afterCommit(tx, () => outcomes.changed(id)),
    },

    run: async (signal) => {
      while (!signal.aborted) {
        try {
          // A lookup that fails, or a chain that does not answer, must not stop the other lookups.
          await forEachConcurrently(8, await overdueAuthorizations(sql, clock()), async (overdue) => {
            if (signal.aborted) return
            await reconcile(overdue).catch((error: unknown) =>
              engine.log.warn({ err: error, order: overdue.orderId }, 'cannot look up an expired signature on its chain; retrying'),
            )
          })
        } catch (error) {
          if (!signal.aborted) engine.log.warn({ err: error }, 'cannot read expired signatures from the database; retrying')
        }
        await pause(reconcileEveryMs, signal)
      }
    },
  }

  /** What the operator pays for before the payer does is not offered beyond the budget. */
  async function isAffordable(order: Order, { quote }: Offer): Promise<boolean> {
    const { chain, scheme } = schemeOf(engine, quote.source.chainId)
    return !scheme.needsSignedOrder || hasGasForWallet(engine, order, chain.id)
  }

  /** Returns a completion only if what the payment needs on the chain first is not there and cannot be put there. */
  async function ensurePrepared(
    order: Order,
    payment: SignedPayment,
    { transactionFailed }: X402Scheme,
    deadline: number,
  ): Promise<Completion | undefined> {
    const preparation = await payment.preparation(sql, order.id, limits, AbortSignal.timeout(askMs))
    if (!preparation) return undefined
    if ('refused' in preparation) return { at: 'refused', reason: preparation.refused }
    // A signature that could not be claimed afterwards must not cost the operator a preparation.
    const live = await liveAuthorization(sql, order.id)
    if (live && !isSame(live, payment.transfer)) return conflictWith(live)
    const reason = await prepare(engine, outcomes, order, preparation, { transactionFailed, deadline })
    return reason === undefined ? undefined : { at: 'refused', reason }
  }

  async function pay(order: Order, payment: SignedPayment, offer: Offer, deadline: number): Promise<Completion> {
    // This check comes before the claim, so that a call which needs too much gas neither claims the order nor blocks another signature.
    if (await payment.isTooExpensive(limits, AbortSignal.timeout(askMs))) return { at: 'refused', reason: gasLimitExceeded }
    let claimed = await claim(engine, order.id, payment, offer, limits)
    if (claimed.at === 'other' && claimed.authorization && claimed.authorization.state !== 'settled')
      if (await reconcile(claimed.authorization)) claimed = await claim(engine, order.id, payment, offer, limits)
    switch (claimed.at) {
      case 'claimed':
        return reportOf(order, payment, await waitForOutcome(claimed.authorization, deadline), offer)
      case 'other':
        return conflictWith(claimed.authorization)
      case 'closed':
        return { at: 'conflict', message: claimed.message }
      default:
        return claimed satisfies never
    }
  }

  async function waitForOutcome({ id }: Authorization, deadline: number): Promise<Authorization> {
    const read = async () => {
      const current = await authorizationById(sql, id)
      if (!current) throw new Error(`authorisation ${id} is gone`)
      return current
    }
    return outcomes.until(id, read, ({ state }) => state !== 'pending', deadline)
  }

  /** Answers from our books. Where they show a failure, the chain is asked, since somebody else may have broadcast the signature. */
  async function reportOf(
    order: Order,
    payment: SignedPayment,
    authorization: Authorization,
    offer: Offer | undefined,
  ): Promise<Completion> {
    const { state, chainId } = authorization
    switch (state) {
      case 'settled':
        await recordIfMined(order, authorization)
        return { at: 'paid', response: responseOf(authorization) }
      case 'pending':
        return { at: 'pending', response: responseOf(authorization, 'settlement_pending') }
      case 'refused':
      case 'failed': {
        const { scheme } = schemeOf(engine, chainId)
        const status = await scheme.status(sql, authorization, order.createdAt, AbortSignal.timeout(askMs))
        if (status.at === 'paid')
          return { at: 'paid', response: responseOf(await adoptExternalBroadcast(order, payment.transfer, chainId, status.txHash)) }
        const verdict = offer && (await payment.verify(offer.requirements, limits, AbortSignal.timeout(askMs)))
        const reason = verdict?.ok === false ? verdict.reason : (authorization.reason ?? scheme.transactionFailed)
        return { at: 'refused', reason, response: responseOf(authorization, reason) }
      }
      default:
        return state satisfies never
    }
  }
}

const conflictWith = (live: Authorization | undefined): Completion => ({
  at: 'conflict',
  message:
    live?.state === 'settled'
      ? 'This order is already paid.'
      : 'Another signature for this order is still valid. Wait until it has moved the money or expired.',
})
