import { createHash } from 'node:crypto'
import type { Hex } from 'viem'
import type { OrderTerms } from '../../src/wire/terms/order-terms.ts'
import { defaultGuardPolicy } from '../../server/chains/guard-policy.ts'
import { decodeRouterCall, encodeRouterCall, type RouterCall } from '../../server/chains/evm/exchange/router-call.ts'
import type { GuardRequest, Move } from '../../server/chains/guard.ts'
import { termsAddress } from '../../src/wire/terms/terms-hash.ts'
import type { GuardParts } from '../../server/guard/create-guard.ts'
import type { GuardLedger, LedgerEntry } from '../../server/guard/ledger.ts'
import type { MerchantRequest } from '../../server/guard/merchant-request.ts'
import { keySigner } from '../../server/guard/move-signer.ts'
import { listedOrganizations } from '../../server/guard/organizations.ts'
import { sign, textToSign } from '../../server/http/signature.ts'

export const now = Date.UTC(2026, 0, 15, 12)
export const guardKey: Hex = `0x${'61'.repeat(32)}`
export const address = (digits: string): string => `0x${digits.padStart(40, '0')}`
export const [factory, router, wrapped, recipient, collector, payer, thief] = ['fac', 'e1', 'e7', 'a1', 'fee', 'bee', 'bad'].map(
  address,
) as [string, string, string, string, string, string, string]
/** Six decimals and a dollar each. */
export const dollar = address('d011a5')
/** 18 decimals and 2,500 dollars each. */
export const coin = null
export const usd = (amount: number): bigint => BigInt(amount) * 1_000_000n

export const signerOf = keySigner(guardKey)

export const termsOf = (more: Partial<OrderTerms> = {}): OrderTerms => ({
  version: 1,
  order_id: 'ord_1',
  factory,
  settlements: [
    {
      chain_id: 8453,
      token: dollar,
      recipient,
      fee_collector: collector,
      max_fee_bps: 60,
      max_fee_flat: '0',
      first_of_chain: true,
    },
  ],
  default_recipient: recipient,
  guard: signerOf.address,
  release_at: 1_800_000_000,
  ...more,
})

export const moveOf = (more: Partial<Move> = {}): Move => ({
  tokenIn: dollar,
  tokenOut: dollar,
  legs: [{ to: payer, amount: usd(9) }],
  nonce: 1n,
  deadline: BigInt(now / 1000 + 600),
  ...more,
})

export const surplus = (move: Partial<Move> = {}, terms: Partial<OrderTerms> = {}): GuardRequest => ({
  chainId: 8453,
  terms: termsOf(terms),
  move: moveOf(move),
  reason: { kind: 'surplus' },
})

/** Converts a coin for 2,500 dollars, less the tolerance. The router is asked for the very same, but for what `call` changes. */
export function conversion(
  more: Partial<NonNullable<Move['conversion']>> = {},
  move: Partial<Move> = {},
  call: Partial<RouterCall> = {},
): GuardRequest {
  const terms = termsOf()
  const whole = moveOf({ tokenIn: coin, legs: [{ to: collector, amount: usd(1) }], ...move })
  const { amountIn, leastOut, ...rest } = { amountIn: 10n ** 18n, leastOut: usd(2_450), ...more }
  return withHonestCall(
    {
      chainId: 8453,
      terms,
      move: { ...whole, conversion: { amountIn, leastOut, router, data: '0x', ...rest } },
      reason: { kind: 'conversion' },
    },
    call,
  )
}

/** Asks the router for what the move says, unless the call's data is given. */
export function withHonestCall(request: GuardRequest, change: Partial<RouterCall> = {}): GuardRequest {
  const { terms, move } = request
  if (!move.conversion || move.conversion.data !== '0x') return request
  const { tokenIn, tokenOut, deadline } = move
  const { amountIn, leastOut } = move.conversion
  const route = { tokens: [tokenIn ?? wrapped, tokenOut ?? wrapped], fees: [500] } as const
  const data = encodeRouterCall({ tokenIn, tokenOut, route, amountIn, leastOut, recipient: termsAddress(terms), deadline, ...change })
  return { ...request, move: { ...move, conversion: { ...move.conversion, data } } }
}

/** The same request for another order. */
export function ofOrder(request: GuardRequest, order_id: string): GuardRequest {
  const terms = { ...request.terms, order_id }
  const { conversion: before, ...move } = request.move
  const call = before && decodeRouterCall(before.data)
  if (!before || !call) return { ...request, terms }
  const data = encodeRouterCall({ ...call, recipient: termsAddress(terms) })
  return { ...request, terms, move: { ...move, conversion: { ...before, data } } }
}

export const apiKey = 'pk_live_1'
export const secret = 'sk_live_1'

export function merchantRequest(
  body: object,
  { covers = 'body', at = now, path = '/orders/ord_1/refund', by = secret } = {},
): MerchantRequest {
  const timestamp = String(Math.floor(at / 1000))
  const text = JSON.stringify(body)
  const signed = textToSign('POST', path, timestamp, covers === 'body' ? Buffer.from(text) : undefined)
  return { method: 'POST', path, timestamp, signature: sign(by, signed), api_key: apiKey, body: text }
}

export const refund = (evidence: unknown, move: Partial<Move> = {}): GuardRequest => ({
  ...surplus(move),
  reason: { kind: 'merchant', evidence },
})

/** The whole refund as the merchant asked for it. */
export const asked = { amount: '9', currency: { chain_id: 8453, address: dollar }, recipient: payer }

export const entry = (more: Partial<LedgerEntry> = {}): LedgerEntry => ({
  chainId: 8453,
  terms: createHash('sha256').update('terms').digest('hex'),
  nonce: 1n,
  move: `0x${'01'.repeat(32)}`,
  organization: 'org_1',
  budget: 'surplus',
  atRisk: usd(10),
  at: now,
  ...more,
})

export const rules = { ...defaultGuardPolicy, factory, exchanges: new Map([[8453, { router, wrapped }]]) }

export const partsWith = (ledger: GuardLedger, more: Partial<GuardParts> = {}): GuardParts => ({
  signer: signerOf,
  rules,
  organizations: listedOrganizations([{ id: 'org_1', recipients: [recipient], keys: [{ apiKey, secret }] }]),
  priceOf: async (_, token) => (token === null ? { usd: '2500', decimals: 18 } : token === dollar ? { usd: '1', decimals: 6 } : undefined),
  isPriced: (_, token) => token === null || token === dollar,
  ledger,
  clock: () => now,
  ...more,
})
