import { canonicalToken } from '../../../src/wire/addresses/canonical.ts'
import type { Amount } from '../../../src/wire/amount.ts'
import { type Currency, nativeAddress } from '../../../src/wire/currency.ts'
import { explorerAddress, explorerTx } from '../../../src/wire/explorer.ts'
import { formatUnits } from '../../../src/wire/money.ts'
import type { Order as WireOrder, Payment, PaymentStep } from '../../../src/wire/order.ts'
import { cardMessages } from './card.ts'
import { type Asset, distinctAssets, sameAsset } from './asset.ts'
import { createdBy } from './created-by.ts'
import { isByBalance } from './balance.ts'
import { destinationsOf, payeesOf } from './destination.ts'
import { shownDeposit } from './deposits.ts'
import { unmeasuredSeconds } from './duration.ts'
import { atDeposit, conversionLeft, funding, quoteInForce, receivedAssets, surplus, wouldBegin } from './funding.ts'
import { isBound } from './movable.ts'
import type { HeldReason, Order, Settlement, Transfer } from './order.ts'
import { leastOutput, type Quote, totalFees } from './quote.ts'
import { displayUsd } from './rate.ts'
import { refundAddressOn } from './refund-address.ts'

/** A snapshot lists at most this many transfers, so that thousands of small ones cannot inflate it. Its sums include all of them. */
const maxTransactions = 100

/** A payer may raise a fee many times. */
const maxReplaced = 10

/** The merchant is asked to decide within this time after the last failure, which exceeds every wait between retries. */
const heldForMs = 24 * 3_600_000

/** Converts the order to the format of the API. API, sockets, webhooks and the page all show this same snapshot. */
export function snapshot(order: Order): WireOrder {
  const { terms } = order
  const quote = fulfillmentQuote(order)
  return {
    id: order.id,
    organization_id: order.organizationId,
    // The creator of an unsigned order may have chosen its recipient, so the order must not carry the merchant's name.
    organization_name: createdBy(terms) === 'key' ? undefined : order.organizationName,
    mode: terms.mode,
    created_by: createdBy(terms),
    status: order.status,
    is_live: order.isLive,
    hosted_url: order.hostedUrl,
    created_at: iso(order.createdAt),
    updated_at: iso(order.updatedAt),
    price: { amount: terms.amount, unit: terms.fiatUnit ?? currencyId(terms.unit ?? terms.asset) },
    fulfillment: {
      amount: amountOf(quote.output, quote.asset, quote.assetUsd),
      asset: currencyOf(quote.asset, quote.assetUsd, quote.fiatUsd),
      custom_fee_bps: terms.fees.customBps,
      fiat_unit: terms.fiatUnit,
      rate_usd: quote.assetUsd,
      fiat_unit_usd: quote.fiatUsd,
      recipient: payeesOf(terms, quote).recipient,
      swap: { slippage_bps: quote.slippageBps, trade_type: terms.tradeType },
    },
    settlements: settlementsOf(order),
    terms: order.depositTerms,
    metadata: terms.metadata,
    payment: paymentOf(order),
    settings: terms.settings,
    refunds_order_id: terms.refundOf?.orderId,
  }
}

/** Until money fixes the source an order is fulfilled in its default destination, and then in that of the source. */
function fulfillmentQuote(order: Order): Quote {
  const quote = quoteInForce(order)
  if (order.fixedQuote !== undefined) return quote
  const { asset } = order.terms
  const isDefault = (known: Quote) => sameAsset(known.asset, asset)
  return isDefault(quote) ? quote : (order.quotes.findLast((known) => isDefault(known) && sameAsset(known.source, asset)) ?? quote)
}

/** Lists where an order may settle if there is a choice, with what is asked for in each currency. */
function settlementsOf({ terms, quotes }: Order): WireOrder['settlements'] {
  const destinations = destinationsOf(terms)
  if (destinations.length < 2) return undefined
  return destinations.flatMap(({ asset, recipient }) => {
    const quote = quotes.findLast(({ source }) => sameAsset(source, asset))
    return quote
      ? [
          {
            chain_id: asset.chainId,
            currency: currencyOf(asset, quote.sourceUsd, quote.fiatUsd),
            recipient,
            amount: amountOf(quote.input.total, asset, quote.sourceUsd),
          },
        ]
      : []
  })
}

const iso = (at: number): string => new Date(at).toISOString()

export const amountOf = (raw: bigint, asset: Asset, priceUsd: string): Amount => ({
  raw: raw.toString(),
  ui: formatUnits(raw, asset.decimals),
  value_usd: displayUsd(raw, asset.decimals, priceUsd),
})

/** This id names a currency throughout the API, and is opaque to clients. */
export const currencyId = ({ address, chainId }: Pick<Asset, 'address' | 'chainId'>): string =>
  `${canonicalToken(chainId, address) ?? nativeAddress}-${chainId}`

/** `fiatUsd` is what one unit of the order's fiat currency cost when this currency had that price. */
export function currencyOf(asset: Asset, priceUsd: string, fiatUsd?: string): Currency {
  const address = asset.address ?? nativeAddress
  return {
    address,
    chain_id: asset.chainId,
    decimals: asset.decimals,
    id: currencyId(asset),
    name: asset.name,
    price_usd: Number(priceUsd),
    fiat_unit_usd: fiatUsd,
    symbol: asset.symbol,
  }
}

const priceOf = ({ quotes }: Order, asset: Asset): string =>
  quotes.find(({ source }) => sameAsset(source, asset))?.sourceUsd ?? quotes.find((quote) => sameAsset(quote.asset, asset))?.assetUsd ?? '0'

/** An order has no payment until a payer asks for instructions or money arrives. A REFUND order always has one. */
function paymentOf(order: Order): Payment | undefined {
  if (order.instructedAt === undefined && order.transfers.length === 0 && !order.terms.refundOf) return undefined
  const { quote, required, received, remaining } = funding(order)
  const usd = quote.sourceUsd
  const settled = shownSettlement(order)
  const refund = order.refunds.at(-1)
  const over = surplus(order)
  const live = order.transfers.filter((transfer) => transfer.state !== 'dropped')
  const held = heldMoney(order)
  return {
    payment_rail: order.rail ?? 'CRYPTO',
    recipient: payeesOf(order.terms, quote).recipient,
    source_tx_hash: live.find((transfer) => sameAsset(transfer.asset, quote.source) && !isByBalance(transfer))?.txHash,
    destination_tx_hash: settled?.txHash,
    fee_tx_hash: settled?.legs.some(({ role }, i) => role === 'fees' && settled.paid?.[i] !== false) ? settled.txHash : undefined,
    estimated_duration_seconds: quote.seconds ?? unmeasuredSeconds,
    expires_at: iso(order.status === 'PARTIAL_PAYMENT' && quote.moves ? Math.max(order.expiresAt, quote.expiresAt) : order.expiresAt),
    funding: {
      required_amount: amountOf(required, quote.source, usd),
      received_amount: amountOf(received, quote.source, usd),
      remaining_amount: amountOf(remaining, quote.source, usd),
      transactions: live.slice(-maxTransactions).map((transfer) => transactionOf(order, transfer, priceOf(order, transfer.asset))),
      transactions_total: live.length,
    },
    ...inputAndOutput(quote),
    refund: refundMember(order, refund),
    steps: [
      // The rest of a partly paid order is always paid to the deposit address, even if it began with a card.
      cardStep(order) ?? {
        rail: 'CRYPTO',
        kind: 'deposit',
        action: 'send',
        data: {
          deposit_address: shownDeposit(order, quote.source.chainId),
          currency: currencyOf(quote.source, usd, quote.fiatUsd),
          amount: required.toString(),
        },
      },
    ],
    surplus: over > 0n ? amountOf(over, quote.source, usd) : undefined,
    refunds:
      order.refunds.length === 0
        ? undefined
        : order.refunds.map(({ amount, asset, address, txHash, state }) => ({
            amount: amountOf(amount, asset, priceOf(order, asset)),
            chain_id: asset.chainId,
            currency: currencyOf(asset, priceOf(order, asset)),
            address,
            tx_hash: txHash,
            state,
          })),
    held: held.length === 0 ? undefined : held,
    replaced: replacedOf(order),
    held_until: heldUntil(order, held),
    waiting_for: order.waitsForGuard && 'guard',
  }
}

/**
 * Several transactions may have paid the recipient if others have moved money too. Ours pays all that was still due, so it is the one. Of the
 * others, one that moved dust is shown only if such moves have completed the order.
 */
function shownSettlement(order: Order): Settlement | undefined {
  const { settlements, status } = order
  const paying = settlements.filter(({ legs, paid }) => legs.some(({ role }, i) => role === 'recipient' && paid?.[i]))
  const isNoDust = ({ token, legs, swap }: Settlement) =>
    swap !== undefined ||
    wouldBegin(
      order,
      token,
      legs.reduce((total, { amount }) => total + amount, 0n),
    )
  return (
    paying.find(({ isForeign }) => !isForeign) ??
    paying.findLast(isNoDust) ??
    (status === 'COMPLETED' ? paying.at(-1) : undefined) ??
    settlements.findLast(({ txHash, isForeign }) => txHash !== undefined && !isForeign)
  )
}

/** Where the terms bind the address, they say when its money may be released. The merchant decides about any other by then. */
function heldUntil({ depositTerms, failure, status }: Order, held: NonNullable<Payment['held']>): string | undefined {
  if (depositTerms && held.some(({ chain_id }) => isBound(chain_id))) return iso(depositTerms.release_at * 1000)
  return failure && status === 'FAILED' ? iso(failure.at + heldForMs) : undefined
}

/** Sums held money by currency and reason, capped at the balance that partial refunds have left. */
function heldMoney(order: Order) {
  const { asset: settled } = quoteInForce(order)
  // A conversion may have succeeded although the recipient could not be paid, and its output has no transfer of its own.
  const converted = order.status === 'FAILED' ? conversionLeft(order, settled) : 0n
  const assets = distinctAssets([...receivedAssets(order), ...(converted > 0n ? [settled] : [])])
  return assets.flatMap((asset) => {
    let left = atDeposit(order, asset)
    const price = priceOf(order, asset)
    const part = (raw: bigint, reason: HeldReason) => {
      const amount = raw < left ? raw : left
      left -= amount
      return amount > 0n
        ? [{ chain_id: asset.chainId, currency: currencyOf(asset, price), amount: amountOf(amount, asset, price), reason }]
        : []
    }
    const transfers = order.transfers.filter((transfer) => transfer.state === 'held' && sameAsset(transfer.asset, asset))
    const reasons = [...new Set(transfers.map(({ reason }) => reason ?? 'surplus'))]
    const sumOf = (reason: HeldReason) =>
      transfers.reduce((total, transfer) => ((transfer.reason ?? 'surplus') === reason ? total + transfer.amount : total), 0n)
    const held = [
      ...(sameAsset(asset, settled) ? part(converted, 'settlement_failed') : []),
      ...reasons.flatMap((reason) => part(sumOf(reason), reason)),
    ]
    const isSource = order.fixedQuote !== undefined && sameAsset(quoteInForce(order).source, asset)
    return order.status === 'COMPLETED' && isSource ? [...held, ...part(surplus(order), 'surplus')] : held
  })
}

/** A newer transaction of the payer has taken the place of these, so they will never arrive. */
function replacedOf(order: Order): Payment['replaced'] {
  const replaced = order.transfers.flatMap(({ asset, amount, txHash, state, replacedBy }) =>
    state === 'dropped' && replacedBy !== undefined
      ? [
          {
            chain_id: asset.chainId,
            currency: currencyOf(asset, priceOf(order, asset)),
            amount: amountOf(amount, asset, priceOf(order, asset)),
            tx_hash: txHash,
            replaced_by: replacedBy,
          },
        ]
      : [],
  )
  return replaced.length === 0 ? undefined : replaced.slice(-maxReplaced)
}

const cardStep = ({ card, rail, status, terms }: Order): PaymentStep | undefined =>
  card && rail === 'FIAT' && status !== 'PARTIAL_PAYMENT'
    ? {
        rail: 'FIAT',
        kind: 'stripe_onramp',
        action: 'open',
        data: {
          session_id: card.id,
          hosted_url: card.hostedUrl,
          status: card.status,
          destination_amount: formatUnits(card.amount, terms.asset.decimals),
          quote: { source_total_amount: card.total, source_currency: card.fiat },
          message: card.problem && cardMessages[card.problem],
          problem: card.problem,
        },
      }
    : undefined

/** A settlement was not even planned (see planSettlement). */
const immovable = 'The terms of this order do not let us move it.'

/** Shows the address to which money of the source would go back, and none if it was given for another chain. */
function refundMember(order: Order, refund: Order['refunds'][number] | undefined): Payment['refund'] {
  const address = refundAddressOn(order, quoteInForce(order).source.chainId)
  const proposed = proposedMember(order)
  if (order.status === 'FAILED' && (!refund || (order.failure && refund.state === 'failed')))
    return { address, reason: `held: ${order.failure?.reason ?? immovable}`, proposed }
  if (refund) return { address: refund.address, reason: refund.reason, tx_hash: refund.txHash, proposed }
  return address === undefined && proposed === undefined ? undefined : { address, proposed }
}

/** Those for a chain that has a refund address are settled. */
function proposedMember(order: Order): NonNullable<Payment['refund']>['proposed'] {
  const open = order.proposedAddresses?.filter(({ chainId }) => refundAddressOn(order, chainId) === undefined) ?? []
  return open.length === 0
    ? undefined
    : open.map(({ address, chainId, at }) => ({ address, chain_id: chainId, proposed_at: new Date(at).toISOString() }))
}

/** Money that was found by its balance has no known transaction, so the link leads to the deposit address instead. */
function explorerUrl(order: Order, transfer: Transfer): string | undefined {
  const { chainId } = transfer.asset
  return isByBalance(transfer) ? explorerAddress(chainId, shownDeposit(order, chainId)) : explorerTx(chainId, transfer.txHash)
}

export const transactionOf = (order: Order, transfer: Transfer, priceUsd: string) => ({
  amount: amountOf(transfer.amount, transfer.asset, priceUsd),
  tx_hash: transfer.txHash,
  chain_id: transfer.asset.chainId,
  currency: currencyOf(transfer.asset, priceUsd),
  state: transfer.state === 'dropped' ? ('seen' as const) : transfer.state,
  confirmations: transfer.confirmations,
  required_confirmations: transfer.needed,
  reason: transfer.reason,
  explorer_url: explorerUrl(order, transfer),
  seen_at: iso(transfer.seenAt),
})

export function inputAndOutput(quote: Quote) {
  const { source, asset, sourceUsd, assetUsd, fiatUsd, input } = quote
  const part = (raw: bigint) => amountOf(raw, source, sourceUsd)
  return {
    input: {
      amount: part(input.total),
      currency: currencyOf(source, sourceUsd, fiatUsd),
      breakdown: {
        base: part(input.base),
        fees: {
          custom_fee: part(input.custom),
          protocol_fee: part(input.protocol),
          relayer_fee: part(input.relayer),
          total_fee: part(totalFees(input) - input.gas),
        },
        gas: part(input.gas),
        total: part(input.total),
      },
    },
    output: {
      amount: amountOf(quote.output, asset, assetUsd),
      amount_out_minimum: amountOf(leastOutput(quote), asset, assetUsd),
      currency: currencyOf(asset, assetUsd, fiatUsd),
    },
  }
}
