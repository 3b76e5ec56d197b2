import { getAddress, type Address } from 'viem'
import type { ChainId } from '../../../src/wire/chain.ts'
import type { PaymentPayload, PaymentRequirements, PaymentResponse } from '../../../src/wire/x402.ts'
import type { Call } from '../../chains/chain.ts'
import type { EvmChain } from '../../chains/evm/create-evm-chain.ts'
import type { Report } from '../../chains/sender.ts'
import { takesAuthorization } from '../../orders/model/choosing.ts'
import type { Order } from '../../orders/model/order.ts'
import type { Engine } from '../../orders/engine.ts'
import { hasGasForWallet } from '../../orders/gas-budget.ts'
import { transaction } from '../../database/transaction.ts'
import { inParallel } from '../../lib/in-parallel.ts'
import { pause } from '../../lib/pause.ts'
import { record } from '../../orders/record.ts'
import { lockOrder, orderById } from '../../orders/order-queries.ts'
import {
  type Authorization,
  authorizationOf,
  authorizationsOf,
  changeAuthorization,
  insertAuthorization,
  isSame,
  liveAuthorization,
  overdueAuthorizations,
} from './authorizations.ts'
import { claim, type Claim } from './claim.ts'
import { facilitator } from './facilitate.ts'
import { fateOf } from './chain-status.ts'
import { maxTimeoutSeconds, type Offer, offerAccepted, openOffers, type Preference } from './offers.ts'
import { gasLimitExceeded, x402Report } from './report.ts'
import { see } from './record-from-receipt.ts'
import { takesMoreGas } from './takes-more-gas.ts'
import { createWaiting } from './wait-for-outcome.ts'
import { walletSends } from './wallet-sends.ts'

/**
 * Wallet payments by one signature (x402 version 2, scheme exact, EIP-3009).
 *
 * 1. An order has at most one authorisation that moved money or may: a row, unique by order and by the token's own nonce.
 * 2. The row, the order's source and the transaction's place in the sending queue are written together, before anything is broadcast.
 * 3. What the library says of a payload decides whether it is taken on; what became of it is what our books and the chain say.
 * 4. Nobody asks a chain while holding a transaction open.
 */
export interface X402 {
  /** What may be signed for; nothing while a signature is already on its way. */
  accepts(order: Order, preference?: Preference): Promise<readonly PaymentRequirements[]>
  complete(order: Order, payload: PaymentPayload): Promise<Completion>
  /** The sending queue's outcomes, by kind of send. */
  readonly reports: Readonly<Record<string, Report>>
  /** Finds out about signatures whose time is over. */
  run(signal: AbortSignal): Promise<void>
}

export type Completion =
  | { readonly at: 'paid' | 'pending'; readonly response: PaymentResponse }
  /** Not taken on, or the chain said no: then there is a response too. */
  | { readonly at: 'refused'; readonly reason: string; readonly response?: PaymentResponse }
  | { readonly at: 'conflict'; readonly message: string }
  /** The organisation's gas of this hour is used up. */
  | { readonly at: 'over_budget' }

export interface X402Parts {
  readonly engine: Engine
  readonly chains: readonly EvmChain[]
  /** Factories that may deploy a contract wallet on the way (ERC-6492); any other is refused. */
  readonly allowedFactories?: readonly string[]
  /** The most gas that is paid for a payer's transfer, and for making a payer's wallet. */
  readonly gasLimit: number
  readonly walletGasLimit: number
  /** One receipt is enough to tell the payer; fulfilment waits for the settlement all the same. */
  readonly acceptEarly?: boolean
  /** How long an answer waits for the receipt. */
  readonly waitMs?: number
}

const noOffer = 'No matching payment requirements'
/** What the library says when the chain may know more: a nonce that is used was perhaps used for this very payment. */
const mayBeSpent = new Set([
  'invalid_exact_evm_nonce_already_used',
  'invalid_exact_evm_payload_authorization_valid_before',
  'invalid_exact_evm_transaction_simulation_failed',
])
const askMs = 10_000
/** A payer's clock may be ahead of ours. */
const slackSeconds = 300
const reconcileEveryMs = 2_000

export function createX402(parts: X402Parts): X402 {
  const { engine, chains, allowedFactories = [], acceptEarly = false, waitMs = 8_000 } = parts
  const { sql, clock } = engine
  const gasCap = BigInt(parts.gasLimit)
  const waiting = createWaiting(sql)
  const wallets = walletSends(engine, BigInt(parts.walletGasLimit))
  const chainOf = (id: ChainId): EvmChain => {
    const chain = chains.find((one) => one.id === id)
    if (!chain) throw new Error(`chain ${id} is not configured`)
    return chain
  }
  const noticed = async (order: Order, one: Authorization): Promise<void> => {
    try {
      if (one.txHash !== undefined) await see(engine, chainOf(one.chainId), order, one.txHash, acceptEarly, AbortSignal.timeout(askMs))
    } catch (error) {
      engine.log.warn(
        { err: error, order: order.id },
        'a wallet payment is on the chain and could not be read there; the watcher will see it',
      )
    }
  }

  /** A stranger brought it to the chain, and that pays as well. */
  const recognise = async (order: Order, payload: PaymentPayload, chainId: ChainId, txHash: string): Promise<Authorization> => {
    const wanted = authorizationOf(order.id, chainId, payload)
    const written = await transaction(sql, async (tx) => {
      if (!(await lockOrder(tx, order.id))) throw new Error(`order ${order.id} is gone`)
      const live = await liveAuthorization(tx, order.id)
      if (!live) return insertAuthorization(tx, wanted, { state: 'settled', txHash })
      return isSame(live, payload)
        ? changeAuthorization(tx, live, ['pending', 'refused', 'settled'], { state: 'settled', txHash })
        : undefined
    })
    // Beside a row of another one this stays unwritten; the money is on the order's address all the same, and the watcher's to tell.
    const one: Authorization = written ?? { ...wanted, id: '', attempt: 1, state: 'settled', txHash, reason: undefined }
    await noticed(order, one)
    return one
  }

  /** What the chain knows of a row, written down. True when it no longer stands in the way. */
  const reconcile = async (one: Authorization): Promise<boolean> => {
    const order = await orderById(sql, one.orderId)
    if (!order) return false
    const fate = await fateOf(chainOf(one.chainId), one, order.createdAt, AbortSignal.timeout(askMs))
    if (fate.at === 'open') return false
    if (fate.at === 'paid') {
      const paid = await transaction(sql, (tx) =>
        changeAuthorization(tx, one, ['pending', 'refused'], { state: 'settled', txHash: fate.txHash }),
      )
      waiting.ring(one.id)
      if (paid) await noticed(order, paid)
      return false
    }
    await transaction(sql, async (tx) => {
      const locked = await lockOrder(tx, one.orderId)
      if (locked && (await changeAuthorization(tx, one, ['pending', 'refused'], { state: 'failed', reason: one.reason })))
        await record(engine, locked, { type: 'unauthorized' }, tx)
    })
    waiting.ring(one.id)
    return true
  }

  const responseOf = (one: Authorization, reason?: string): PaymentResponse => ({
    success: reason === undefined,
    ...(reason === undefined ? {} : { errorReason: reason }),
    transaction: one.txHash ?? '',
    network: one.network,
    payer: getAddress(one.payer as Address),
  })

  /** What our books say of one that was taken on; what the chain says where they say no. */
  const tell = async (order: Order, payload: PaymentPayload, one: Authorization, offer: Offer | undefined): Promise<Completion> => {
    switch (one.state) {
      case 'settled':
        await noticed(order, one)
        return { at: 'paid', response: responseOf(one) }
      case 'pending':
        return { at: 'pending', response: responseOf(one, 'settlement_pending') }
      case 'refused':
      case 'failed': {
        const chain = chainOf(one.chainId)
        const fate = await fateOf(chain, one, order.createdAt, AbortSignal.timeout(askMs))
        if (fate.at === 'paid') return { at: 'paid', response: responseOf(await recognise(order, payload, one.chainId, fate.txHash)) }
        const verdict =
          offer && (await facilitator(chain, allowedFactories, AbortSignal.timeout(askMs), noRoad).verify(payload, offer.requirements))
        const reason = verdict?.ok === false ? verdict.reason : (one.reason ?? 'invalid_exact_evm_transaction_failed')
        return { at: 'refused', reason, response: responseOf(one, reason) }
      }
      default:
        return one.state satisfies never
    }
  }

  const attempt = async (
    order: Order,
    payload: PaymentPayload,
    offer: Offer,
  ): Promise<Claim | { readonly at: 'refused'; readonly reason: string }> => {
    const deadline = performance.now() + waitMs
    const chain = chainOf(offer.quote.source.chainId)
    let taken: Claim | undefined
    let isTooDear = false
    const claimed = async (call: Call): Promise<Claim> => {
      const first = await claim(engine, order.id, payload, offer, { ...call, gasCap })
      const isInTheWay = first.at === 'other' && first.authorization !== undefined && first.authorization.state !== 'settled'
      return isInTheWay && (await reconcile(first.authorization)) ? claim(engine, order.id, payload, offer, { ...call, gasCap }) : first
    }
    const transfer = async (call: Call): Promise<string> => {
      // Before anything is claimed: what the queue would refuse for its gas neither reserves the order nor stands in anybody's way.
      isTooDear = await takesMoreGas(chain, call, gasCap, AbortSignal.timeout(askMs))
      if (isTooDear) throw new Error(gasLimitExceeded)
      taken = await claimed(call)
      if (taken.at !== 'taken') throw new Error(taken.at)
      const now = await waiting.until(taken.authorization.id, (one) => one.txHash !== undefined || one.state !== 'pending', deadline)
      taken = { at: 'taken', authorization: now }
      if (now.txHash === undefined) throw new Error('settlement_pending')
      return now.txHash
    }
    const arrived = async (): Promise<{ ok: boolean }> => {
      if (taken?.at !== 'taken') throw new Error('nothing was sent')
      const now = await waiting.until(taken.authorization.id, (one) => one.state !== 'pending', deadline)
      taken = { at: 'taken', authorization: now }
      if (now.state === 'pending') throw new Error('settlement_pending')
      return { ok: now.state === 'settled' }
    }
    const library = facilitator(chain, allowedFactories, AbortSignal.timeout(askMs + waitMs), {
      send: async (call, what) => {
        if (what === 'transfer') return transfer(call)
        const live = await liveAuthorization(sql, order.id)
        // Somebody else is paying: no wallet is made for a signature that would not be taken on.
        if (live && !isSame(live, payload)) {
          taken = { at: 'other', authorization: live }
          throw new Error(taken.at)
        }
        return wallets.send(order, chain.id, call, deadline)
      },
      receipt: (hash, what) => (what === 'wallet' ? wallets.receipt(chain, hash, deadline) : arrived()),
    })
    const verdict = await library.settle(payload, offer.requirements)
    if (isTooDear) return { at: 'refused', reason: gasLimitExceeded }
    return taken ?? { at: 'refused', reason: verdict.ok ? 'unexpected_settle_error' : verdict.reason }
  }

  return {
    accepts: async (order, preference) => {
      const open = openOffers(engine, order, clock(), preference)
      if (open.length === 0 || (await liveAuthorization(sql, order.id))) return []
      return open.map(({ requirements }) => requirements)
    },

    complete: async (order, payload) => {
      const known = (await authorizationsOf(sql, order.id)).find((one) => isSame(one, payload))
      const now = clock()
      const offer = offerAccepted(engine, order, payload.accepted, now)
      if (known?.state === 'settled' || known?.state === 'pending') {
        const current = await waiting.until(known.id, (one) => one.state !== 'pending', performance.now() + waitMs)
        return tell(order, payload, current, offer)
      }
      const isOpen = takesAuthorization(order, now)
      // One that failed keeps another from being taken on until its time is over: it must not be able to choose when that is.
      const latest = BigInt(Math.floor(now / 1000) + maxTimeoutSeconds + slackSeconds)
      if (!known && isOpen && BigInt(payload.payload.authorization.validBefore) > latest)
        return { at: 'refused', reason: 'authorization_valid_too_long' }
      const closed: Completion = { at: 'conflict', message: `This order can no longer be paid this way: it is ${order.status}.` }
      if (!offer) return isOpen ? { at: 'refused', reason: noOffer } : closed
      const chain = chainOf(offer.quote.source.chainId)
      const signal = AbortSignal.timeout(askMs)
      const verdict = await facilitator(chain, allowedFactories, signal, noRoad).verify(payload, offer.requirements)
      if (!verdict.ok) {
        if (mayBeSpent.has(verdict.reason)) {
          const fate = await fateOf(chain, authorizationOf(order.id, chain.id, payload), order.createdAt, signal)
          if (fate.at === 'paid') return { at: 'paid', response: responseOf(await recognise(order, payload, chain.id, fate.txHash)) }
        }
        if (known?.state === 'refused') return { at: 'refused', reason: verdict.reason, response: responseOf(known, verdict.reason) }
        return isOpen ? { at: 'refused', reason: verdict.reason } : closed
      }
      if (!isOpen) return closed
      if (offer.quote.expiresAt <= now) return { at: 'refused', reason: noOffer }
      if (!(await hasGasForWallet(engine, order, chain.id))) return { at: 'over_budget' }
      const outcome = await attempt(order, payload, offer)
      switch (outcome.at) {
        case 'taken':
          return tell(order, payload, outcome.authorization, offer)
        case 'other':
          return {
            at: 'conflict',
            message:
              outcome.authorization?.state === 'settled'
                ? 'This order is already paid.'
                : 'Another signature for this order is still good. Wait until it has moved the money or run out.',
          }
        case 'closed':
          return { at: 'conflict', message: outcome.message }
        case 'refused':
          return outcome
        default:
          return outcome satisfies never
      }
    },

    reports: { x402: x402Report(engine, waiting), x402_wallet: wallets.report },

    run: async (signal) => {
      while (!signal.aborted) {
        try {
          // One that cannot be looked up, or whose chain does not answer, keeps no other from being.
          await inParallel(8, await overdueAuthorizations(sql, clock()), async (overdue) => {
            if (signal.aborted) return
            await reconcile(overdue).catch((error: unknown) =>
              engine.log.warn({ err: error, order: overdue.orderId }, 'a signature whose time is over cannot be looked up; retrying'),
            )
          })
        } catch (error) {
          if (!signal.aborted) engine.log.warn({ err: error }, 'signatures whose time is over cannot be looked up; trying again')
        }
        await pause(reconcileEveryMs, signal)
      }
    },
  }
}

/** For whoever only wants to know. */
const noRoad = {
  send: () => Promise.reject(new Error('verifying sends nothing')),
  receipt: () => Promise.reject(new Error('verifying waits for nothing')),
}
