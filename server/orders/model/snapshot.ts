import type { Amount } from '../../../src/wire/amount.ts'
import { chainFacts } from '../../../src/wire/chain.ts'
import { type Currency, nativeAddress } from '../../../src/wire/currency.ts'
import { formatUnits } from '../../../src/wire/money.ts'
import type { Order as WireOrder, Payment, PaymentStep } from '../../../src/wire/order.ts'
import { cardMessages } from './card.ts'
import { type Asset, sameAsset } from './asset.ts'
import { createdBy } from './created-by.ts'
import { isByBalance } from './balance.ts'
import { unmeasuredSeconds } from './duration.ts'
import { atDeposit, funding, quoteInForce, receivedAssets, surplus } from './funding.ts'
import type { HeldReason, Order, Transfer } from './order.ts'
import { leastOutput, type Quote, totalFees } from './quote.ts'
import { displayUsd } from './rate.ts'

/** A snapshot lists at most this many transfers, so that thousands of small ones cannot inflate it. Its sums include all of them. */
const maxTransactions = 100

/** The merchant is asked to decide within this time after the last failure, which exceeds every wait between retries. */
const heldForMs = 24 * 3_600_000

/** Converts the order to the format of the API. API, sockets, webhooks and the page all show this same snapshot. */
export function snapshot(order: Order): WireOrder {
  const { terms } = order
  const quote = quoteInForce(order)
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
    price: { amount: terms.amount, unit: terms.fiatUnit ?? currencyId(terms.asset) },
    fulfillment: {
      amount: amountOf(quote.output, quote.asset, quote.assetUsd),
      asset: currencyOf(quote.asset, quote.assetUsd),
      custom_fee_bps: terms.fees.customBps,
      fiat_unit: terms.fiatUnit,
      rate_usd: quote.assetUsd,
      recipient: terms.recipient,
      swap: { slippage_bps: quote.slippageBps, trade_type: terms.tradeType },
    },
    metadata: terms.metadata,
    payment: paymentOf(order),
    settings: terms.settings,
    refunds_order_id: terms.refundOf?.orderId,
  }
}

const iso = (at: number): string => new Date(at).toISOString()

export const amountOf = (raw: bigint, asset: Asset, priceUsd: string): Amount => ({
  raw: raw.toString(),
  ui: formatUnits(raw, asset.decimals),
  value_usd: displayUsd(raw, asset.decimals, priceUsd),
})

/** This id names a currency throughout the API, and is opaque to clients. */
export const currencyId = ({ address, chainId }: Pick<Asset, 'address' | 'chainId'>): string =>
  `${(address ?? nativeAddress).toLowerCase()}-${chainId}`

export function currencyOf(asset: Asset, priceUsd: string): Currency {
  const address = asset.address ?? nativeAddress
  return {
    address,
    chain_id: asset.chainId,
    decimals: asset.decimals,
    id: currencyId(asset),
    name: asset.name,
    price_usd: Number(priceUsd),
    symbol: asset.symbol,
  }
}

const priceOf = (order: Order, asset: Asset): string => order.quotes.find((quote) => sameAsset(quote.source, asset))?.sourceUsd ?? '0'

/** An order has no payment until a payer asks for instructions or money arrives. A REFUND order always has one. */
function paymentOf(order: Order): Payment | undefined {
  if (order.instructedAt === undefined && order.transfers.length === 0 && !order.terms.refundOf) return undefined
  const { quote, required, received, remaining } = funding(order)
  const usd = quote.sourceUsd
  const settled =
    order.settlements.find((settlement) => settlement.paid?.[0]) ??
    order.settlements.findLast((settlement) => settlement.txHash !== undefined)
  const refund = order.refunds.at(-1)
  const over = surplus(order)
  const live = order.transfers.filter((transfer) => transfer.state !== 'dropped')
  const held = heldMoney(order)
  return {
    payment_rail: order.rail ?? 'CRYPTO',
    recipient: order.terms.recipient,
    source_tx_hash: live.find((transfer) => sameAsset(transfer.asset, quote.source) && !isByBalance(transfer))?.txHash,
    destination_tx_hash: settled?.txHash,
    fee_tx_hash: settled?.legs.some((leg) => leg.role === 'fees') ? settled.txHash : undefined,
    estimated_duration_seconds: quote.seconds ?? unmeasuredSeconds,
    expires_at: iso(order.status === 'PARTIAL_PAYMENT' && quote.moves ? Math.max(order.expiresAt, quote.expiresAt) : order.expiresAt),
    funding: {
      required_amount: amountOf(required, quote.source, usd),
      received_amount: amountOf(received, quote.source, usd),
      remaining_amount: amountOf(remaining, quote.source, usd),
      transactions: live
        .slice(-maxTransactions)
        .map((transfer) => transactionOf(transfer, order.depositAddress, priceOf(order, transfer.asset))),
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
        data: { deposit_address: order.depositAddress, currency: currencyOf(quote.source, usd), amount: required.toString() },
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
    held_until: order.failure && order.status === 'FAILED' ? iso(order.failure.at + heldForMs) : undefined,
  }
}

/** Sums held money by currency and reason, capped at the balance that partial refunds have left. */
const heldMoney = (order: Order) =>
  receivedAssets(order).flatMap((asset) => {
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
    const held = reasons.flatMap((reason) => part(sumOf(reason), reason))
    const isSource = order.fixedQuote !== undefined && sameAsset(quoteInForce(order).source, asset)
    return order.status === 'COMPLETED' && isSource ? [...held, ...part(surplus(order), 'surplus')] : held
  })

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

function refundMember(order: Order, refund: Order['refunds'][number] | undefined): Payment['refund'] {
  if (order.status === 'FAILED' && order.failure && (!refund || refund.state === 'failed'))
    return { address: order.refundAddress, reason: `held: ${order.failure.reason}` }
  if (refund) return { address: refund.address, reason: refund.reason, tx_hash: refund.txHash }
  return order.refundAddress ? { address: order.refundAddress } : undefined
}

/** Money that was found by its balance has no known transaction, so the link leads to the deposit address instead. */
function explorerUrl(transfer: Transfer, depositAddress: string): string {
  const explorer = chainFacts(transfer.asset.chainId)?.explorer
  return isByBalance(transfer) ? `${explorer}/address/${depositAddress}` : `${explorer}/tx/${transfer.txHash}`
}

export const transactionOf = (transfer: Transfer, depositAddress: string, priceUsd: string) => ({
  amount: amountOf(transfer.amount, transfer.asset, priceUsd),
  tx_hash: transfer.txHash,
  chain_id: transfer.asset.chainId,
  currency: currencyOf(transfer.asset, priceUsd),
  state: transfer.state === 'dropped' ? ('seen' as const) : transfer.state,
  confirmations: transfer.confirmations,
  required_confirmations: transfer.needed,
  reason: transfer.reason,
  explorer_url: explorerUrl(transfer, depositAddress),
  seen_at: iso(transfer.seenAt),
})

export function inputAndOutput(quote: Quote) {
  const { source, asset, sourceUsd, assetUsd, input } = quote
  const part = (raw: bigint) => amountOf(raw, source, sourceUsd)
  return {
    input: {
      amount: part(input.total),
      currency: currencyOf(source, sourceUsd),
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
      currency: currencyOf(asset, assetUsd),
    },
  }
}
