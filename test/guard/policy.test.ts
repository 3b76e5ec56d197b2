import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { GuardRefused, type GuardRequest, type Move, type MoveReason } from '../../server/chains/guard.ts'
import { createGuard, type GuardParts } from '../../server/guard/create-guard.ts'
import { type GuardLedger, hourMs, isOver, type LedgerEntry, moveName } from '../../server/guard/ledger.ts'
import { decodeRouterCall, type RouterCall } from '../../server/chains/evm/exchange/router-call.ts'
import { termsAddress } from '../../src/wire/terms/terms-hash.ts'
import {
  address,
  asked,
  coin,
  collector,
  conversion,
  dollar,
  factory,
  merchantRequest,
  moveOf,
  now,
  ofOrder,
  partsWith,
  payer,
  recipient,
  refund,
  router,
  rules,
  signerOf,
  surplus,
  termsOf,
  thief,
  usd,
  withHonestCall,
  wrapped,
} from './support.ts'

const signal = new AbortController().signal
const routed = (call: Partial<RouterCall> = {}) => conversion({}, {}, call).move.conversion!

/** Lets a property see everything that was recorded. */
function memoryLedger(): GuardLedger & { readonly entries: LedgerEntry[] } {
  const entries: LedgerEntry[] = []
  const same = (a: Pick<LedgerEntry, 'chainId' | 'terms' | 'nonce'>, b: typeof a) =>
    a.chainId === b.chainId && a.terms === b.terms && a.nonce === b.nonce
  return {
    entries,
    find: async (nonce) => entries.find((entry) => same(entry, nonce))?.move,
    async claim(entry, limit) {
      const known = entries.find((other) => same(other, entry))
      if (known) return known.move === entry.move ? 'known' : 'another_move'
      if (entry.evidence !== undefined && entries.some(({ evidence }) => evidence === entry.evidence)) return 'evidence_used'
      const lately = entries.filter(({ at, budget }) => at > entry.at - hourMs && budget === entry.budget)
      const sum = (some: readonly LedgerEntry[]) => some.reduce((total, { atRisk }) => total + atRisk, entry.atRisk)
      const own = lately.filter(({ organization }) => organization === entry.organization)
      if (isOver(limit, { own: sum(own), inAll: sum(lately) })) return 'over_the_limit'
      entries.push(entry)
      return 'recorded'
    },
  }
}

function guardWith(more: Partial<GuardParts> = {}) {
  const ledger = memoryLedger()
  return { ledger, ...createGuard(partsWith(ledger, more)) }
}

async function outcomeOf(request: GuardRequest, more?: Partial<GuardParts>): Promise<string> {
  try {
    await guardWith(more).sign(request, signal)
    return 'signed'
  } catch (error) {
    return error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  }
}
const unknown = address('abcd')
const rescued = (more: Partial<Move> = {}): GuardRequest => ({
  ...surplus({ tokenIn: unknown, tokenOut: unknown, legs: [{ to: recipient, amount: 7n }], ...more }),
  reason: { kind: 'rescue' },
})
const strict = { rules: { ...rules, needsSignedBody: true } }

describe('shape', () => {
  test.each<[string, GuardRequest, string]>([
    ['terms with a member too many', { ...surplus(), terms: { ...termsOf(), more: 1 } as never }, 'no terms of an order'],
    [
      'a deadline of the day after tomorrow',
      surplus({ deadline: BigInt(now / 1000 + 2 * 86_400) }),
      'GuardNotYet: The deadline is more than a day',
    ],
    ['a deadline that has passed', surplus({ deadline: BigInt(now / 1000) }), 'GuardNotYet: The deadline has passed'],
    ['no legs', surplus({ legs: [] }), 'pays one receiver'],
    ['a leg of nothing', surplus({ legs: [{ to: payer, amount: 0n }] }), 'a leg without an amount'],
    ['a second receiver', surplus({ legs: [payer, thief].map((to) => ({ to, amount: 1n })) }), 'goes to a fee collector of the terms'],
    [
      'gas for the collector above the cap',
      surplus({
        legs: [
          { to: payer, amount: 1n },
          { to: collector, amount: usd(51) },
        ],
      }),
      'too much for its gas',
    ],
    ['a refund in another token', surplus({ tokenOut: coin }), 'a refund in another token'],
    ['a refund to nobody', surplus({ legs: [{ to: address('0'), amount: 1n }] }), 'nobody could spend'],
    ['a refund to its own deposit address', surplus({ legs: [{ to: termsAddress(termsOf()), amount: 1n }] }), 'nobody could spend'],
    ['a refund to the factory', surplus({ legs: [{ to: factory, amount: 1n }] }), 'nobody could spend'],
    ['a conversion that calls itself a surplus', { ...conversion(), reason: { kind: 'surplus' } }, 'a refund that converts'],
    ['a refund that calls itself a conversion', { ...surplus(), reason: { kind: 'conversion' } }, 'without a router'],
    ['a fee to somebody else', conversion({}, { legs: [{ to: thief, amount: 1n }] }), 'a fee to the collector'],
    ['a second fee', conversion({}, { legs: [1, 2].map(() => ({ to: collector, amount: 1n })) }), 'a fee to the collector'],
    ['a conversion into a token of nobody', conversion({}, { tokenIn: dollar, tokenOut: coin }), 'in which the order does not settle'],
    ['a conversion into itself', conversion({}, { tokenIn: dollar }), 'into the same token'],
    ['a rescue of what the order settles in', { ...surplus(), reason: { kind: 'rescue' } }, 'in which the order settles'],
    ['a rescue for somebody else', rescued({ legs: [{ to: payer, amount: 1n }] }), 'a recipient of the terms on this chain'],
    [
      'a rescue with gas for the collector',
      rescued({ legs: [recipient, collector].map((to) => ({ to, amount: 1n })) }),
      'a recipient of the terms on this chain',
    ],
    ['a rescue of what has a price', rescued({ tokenIn: coin, tokenOut: coin }), 'a currency that is counted'],
    ['a conversion for nothing', conversion({ leastOut: 0n }), 'a conversion of nothing'],
    ['a call of the router that the guard cannot read', conversion({ data: '0x12' }), 'not one of ours'],
    ['a call of the router with something behind it', conversion({ data: `${routed().data}00` }), 'not one of ours'],
    ['a router that takes another token', conversion({}, {}, { tokenIn: dollar }), 'takes another token'],
    [
      'a router that wraps coin as another token',
      conversion({}, {}, { route: { tokens: [thief, dollar], fees: [500] } }),
      'takes another token',
    ],
    ['a router that gives another token', conversion({}, {}, { route: { tokens: [wrapped, thief], fees: [500] } }), 'gives another token'],
    ['a router that unwraps what it gives', conversion({}, {}, { tokenIn: wrapped, tokenOut: coin }), 'takes another token'],
    ['a router that takes more', conversion({}, {}, { amountIn: 10n ** 18n + 1n }), 'takes another amount'],
    ['a router that may give less', conversion({}, {}, { leastOut: usd(2_449) }), 'may give less'],
    ['a router that may give more than is signed for', conversion({}, {}, { leastOut: usd(2_451) }), 'may give less'],
    ['a router that pays somebody else', conversion({}, {}, { recipient: thief }), 'pays somebody else'],
    ['a router that pays itself', conversion({}, {}, { recipient: address('2') }), 'pays somebody else'],
    ['a router that pays whoever calls', conversion({}, {}, { recipient: address('1') }), 'pays somebody else'],
    ['a router without the signature’s deadline', conversion({}, {}, { deadline: moveOf().deadline + 1n }), 'another deadline'],
    ['a pool with an unusual fee', conversion({}, {}, { route: { tokens: [wrapped, dollar], fees: [501] } }), 'an unusual fee'],
    [
      'a route that comes back',
      conversion({}, {}, { route: { tokens: [wrapped, wrapped, dollar], fees: [500, 500] } }),
      'comes back to a token',
    ],
  ])('error: %s', async (_, request, message) => {
    expect(await outcomeOf(request)).toContain(message)
  })

  test('behavior: a conversion may go over one other token', async () => {
    const route = { tokens: [wrapped, address('77'), dollar], fees: [3_000, 100] } as const
    expect(await outcomeOf(conversion({}, {}, { route }))).toBe('signed')
  })

  test('behavior: gas within the cap may go to the collector, and a conversion may be without a fee', async () => {
    const legs = [
      { to: payer, amount: usd(5) },
      { to: collector, amount: usd(1) },
    ]
    expect(await outcomeOf(surplus({ legs }))).toBe('signed')
    expect(await outcomeOf(conversion({}, { legs: [] }))).toBe('signed')
  })
})

describe('a rescue', () => {
  test('default: a token without a price goes to the recipient of the terms, whatever the limits', async () => {
    expect(await outcomeOf(rescued())).toBe('signed')
    const limits = { ...rules.limits, surplus: { perMove: 0n, perHour: 0n, perHourInAll: 0n } }
    expect(await outcomeOf(rescued(), { rules: { ...rules, limits } })).toBe('signed')
  })
})

describe('the merchant’s request', () => {
  test('default: what the merchant has signed is signed, with or without the body', async () => {
    for (const covers of ['body', 'call']) expect(await outcomeOf(refund(merchantRequest(asked, { covers })))).toBe('signed')
    expect(await outcomeOf(refund(merchantRequest({ amount: '9' }, { covers: 'call' })))).toBe('signed')
  })

  test.each<[string, GuardRequest, string]>([
    ['another recipient', refund(merchantRequest(asked), { legs: [{ to: thief, amount: usd(9) }] }), 'another recipient'],
    ['another amount', refund(merchantRequest(asked), { legs: [{ to: payer, amount: usd(10) }] }), 'another amount'],
    ['an amount with more decimals than the token', refund(merchantRequest({ ...asked, amount: '9.0000001' })), 'another amount'],
    ['another token', refund(merchantRequest({ ...asked, currency: { chain_id: 8453, address: null } })), 'another currency'],
    ['another chain', refund(merchantRequest({ ...asked, currency: { chain_id: 1, address: dollar } })), 'another currency'],
    ['another order', refund(merchantRequest(asked, { path: '/orders/ord_2/refund' })), 'another order'],
    ['another endpoint', refund(merchantRequest(asked, { path: '/orders/ord_1/cancel' })), 'another order'],
    ['another body than the signed one', refund({ ...merchantRequest(asked), body: '{}' }), 'has not signed'],
    ['a request of last month', refund(merchantRequest(asked, { at: now - 31 * 86_400_000 })), 'too old'],
    [
      'a request of tomorrow',
      refund(merchantRequest(asked, { at: now + 86_400_000 })),
      'GuardNotYet: The merchant’s request is from the future',
    ],
    ['what is no refund', refund(merchantRequest({ sum: '9' })), 'is no refund'],
    [
      'a key that the guard does not know',
      refund({ ...merchantRequest(asked), api_key: 'pk_2' }),
      'GuardNotYet: The guard does not know the merchant’s API key',
    ],
    [
      'an order of nobody that it knows',
      { ...refund(merchantRequest(asked)), terms: termsOf({ default_recipient: thief }) },
      'GuardNotYet: The guard does not know whose order',
    ],
  ])('error: %s', async (_, request, message) => {
    expect(await outcomeOf(request)).toContain(message)
  })

  test('error: where the body must be signed, the call alone is not enough, and the recipient and the currency must be named', async () => {
    expect(await outcomeOf(refund(merchantRequest(asked)), strict)).toBe('signed')
    expect(await outcomeOf(refund(merchantRequest(asked, { covers: 'call' })), strict)).toContain('does not cover the body')
    for (const missing of ['currency', 'recipient']) {
      const body = Object.fromEntries(Object.entries(asked).filter(([name]) => name !== missing))
      expect(await outcomeOf(refund(merchantRequest(body)), strict)).toContain('names no currency or no recipient')
    }
  })

  test('error: one organisation cannot have another’s order refunded', async () => {
    const organizations = { ownerOf: async () => 'org_2', secretOf: async () => ({ organizationId: 'org_1', secret: 'sk_live_1' }) }
    expect(await outcomeOf(refund(merchantRequest(asked)), { organizations })).toContain('belongs to another organisation')
  })

  test('error: one request approves one move', async () => {
    const guard = guardWith()
    const evidence = merchantRequest(asked)
    await guard.sign(refund(evidence), signal)
    await guard.sign(refund(evidence, { deadline: moveOf().deadline + 60n }), signal)
    await expect(guard.sign(refund(evidence, { nonce: 2n }), signal)).rejects.toThrow('has approved another move')
  })
})

describe('limits', () => {
  const pay = (dollars: number, more: Partial<Move> = {}): Partial<Move> => ({ legs: [{ to: payer, amount: usd(dollars) }], ...more })
  const refundOf = (dollars: number, covers: 'body' | 'call', nonce = 1n) =>
    refund(merchantRequest({ ...asked, amount: String(dollars) }, { covers, at: now - Number(nonce) * 1000 }), pay(dollars, { nonce }))

  test('default: what the merchant has signed in full has no limit, and what the service could change has one', async () => {
    expect(await outcomeOf(refundOf(2_000_000, 'body'))).toBe('signed')
    expect(await outcomeOf(refundOf(5_000, 'call'))).toBe('signed')
    expect(await outcomeOf(refundOf(5_001, 'call'))).toContain('GuardRefused: The guard never signs this: it is more than one refund')
    for (const missing of ['currency', 'recipient']) {
      const body = Object.fromEntries(Object.entries({ ...asked, amount: '5001' }).filter(([name]) => name !== missing))
      expect(await outcomeOf(refund(merchantRequest(body), pay(5_001)))).toContain('more than one refund may be worth')
    }
  })

  test('behavior: payers who overpay or convert hold up no merchant’s refund, and neither each other', async () => {
    const guard = guardWith()
    for (const nonce of [1n, 2n]) await guard.sign(surplus(pay(5_000, { nonce })), signal)
    await expect(guard.sign(surplus(pay(1, { nonce: 3n })), signal)).rejects.toMatchObject({ code: 'guard_not_yet' })
    const conversions = { ...conversion({}, { nonce: 4n }) }
    for (const request of [conversions, refundOf(9, 'body', 5n), refundOf(5_000, 'call', 6n), refundOf(5_000, 'call', 7n)])
      expect(await guard.sign(request, signal)).toMatch(/^0x/)
    await expect(guard.sign(refundOf(1, 'call', 8n), signal)).rejects.toMatchObject({ code: 'guard_not_yet' })
    expect(await guard.sign(refundOf(20_000, 'body', 9n), signal)).toMatch(/^0x/)
  })

  test('error: what no hour would allow is refused, and not asked for again for ever', async () => {
    const limits = { ...rules.limits, surplus: { perHour: usd(100) }, conversion: { perHourInAll: usd(40) } }
    expect(await outcomeOf(surplus(pay(100)), { rules: { ...rules, limits } })).toBe('signed')
    expect(await outcomeOf(surplus(pay(101)), { rules: { ...rules, limits } })).toContain(
      'GuardRefused: The guard never signs this: it is more',
    )
    expect(await outcomeOf(conversion(), { rules: { ...rules, limits } })).toContain('one conversion may not lose so much')
  })

  test('error: a request of a key that the guard does not know is refused once it is too old', async () => {
    const evidence = { ...merchantRequest(asked, { at: now - 31 * 86_400_000 }), api_key: 'pk_2' }
    expect(await outcomeOf(refund(evidence))).toContain('too old')
  })
})

const anyAddress = fc.constantFrom(payer, thief, collector, recipient, factory, router, address('0'))
const anyToken = fc.constantFrom(coin, dollar, address('77'))
const anyMove: fc.Arbitrary<Move> = fc.record(
  {
    tokenIn: anyToken,
    tokenOut: anyToken,
    legs: fc.array(fc.record({ to: anyAddress, amount: fc.bigInt({ min: 0n, max: usd(6_000) }) }), { maxLength: 3 }),
    conversion: fc.record({
      amountIn: fc.bigInt({ min: 0n, max: 3n * 10n ** 18n }),
      leastOut: fc.bigInt({ min: 0n, max: usd(8_000) }),
      router: fc.constantFrom(router, router, thief),
      // Without data the router is asked for what the move says.
      data: fc.constantFrom('0x' as const, '0x' as const, '0x12' as const, routed().data, routed({ recipient: thief }).data),
    }),
    nonce: fc.bigInt({ min: 0n, max: 4n }),
    deadline: fc.bigInt({ min: BigInt(now / 1000) - 100n, max: BigInt(now / 1000) + 2n * 86_400n }),
  },
  { requiredKeys: ['tokenIn', 'tokenOut', 'legs', 'nonce', 'deadline'] },
)
const anyReason: fc.Arbitrary<MoveReason> = fc.oneof(
  fc.constantFrom('conversion' as const, 'surplus' as const, 'unconverted' as const).map((kind) => ({ kind })),
  fc.constantFrom(asked, { amount: '1' }).map((body) => ({ kind: 'merchant' as const, evidence: merchantRequest(body) })),
)
const anyRequest: fc.Arbitrary<GuardRequest> = fc
  .record({
    chainId: fc.constant(8453 as const),
    terms: fc.constantFrom('ord_1', 'ord_2').map((order_id) => termsOf({ order_id })),
    move: anyMove,
    reason: anyReason,
  })
  .map((request) => withHonestCall(request))
/** Most random moves are refused for their shape, so these are near to what is signed. */
const nearRequest: fc.Arbitrary<GuardRequest> = fc
  .tuple(
    fc.constantFrom(surplus(), conversion(), refund(merchantRequest(asked))),
    anyRequest,
    fc.subarray(['legs', 'nonce', 'deadline', 'conversion'] as const, { maxLength: 2 }),
  )
  .map(([good, other, members]) => {
    const near = ofOrder(good, other.terms.order_id)
    const changes = Object.fromEntries(
      members.filter((member) => other.move[member] !== undefined).map((member) => [member, other.move[member]]),
    )
    const { conversion: planned, ...move } = near.move
    return withHonestCall({ ...near, move: { ...move, ...(planned && { conversion: { ...planned, data: '0x' } }), ...changes } })
  })

test('property: whatever is asked, one nonce has one move, limits hold, and only allowed places are paid', async () => {
  let signed = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.oneof(nearRequest, nearRequest, anyRequest), fc.nat(hourMs / 4)), { maxLength: 30 }),
      async (asks) => {
        let time = now
        const { ledger, sign } = guardWith({ clock: () => time })
        const moves = new Map<string, string>()
        for (const [request, passed] of asks) {
          time += passed
          const signature = await sign(request, signal).catch((error: Error) => {
            expect(['GuardRefused', 'GuardNotYet']).toContain(error.name)
          })
          if (!signature) continue
          signed++
          const { move, terms, reason } = request
          const name = `${terms.order_id} ${move.nonce}`
          const content = moveName(request)
          expect(moves.get(name) ?? content).toBe(content)
          // What was signed for one reason is the same move for another.
          const isFirst = !moves.has(name)
          moves.set(name, content)
          const [first, ...others] = move.legs
          if (reason.kind === 'conversion') {
            expect(move.conversion?.router).toBe(router)
            expect(decodeRouterCall(move.conversion!.data)).toMatchObject({
              tokenIn: move.tokenIn,
              tokenOut: move.tokenOut,
              amountIn: move.conversion!.amountIn,
              leastOut: move.conversion!.leastOut,
              recipient: termsAddress(terms),
              deadline: move.deadline,
            })
            expect([move.tokenOut, others.length]).toEqual([dollar, 0])
            expect(first?.to ?? collector).toBe(collector)
            // Only coins can be converted here: 2,500 dollars each, less five percent, with 12 decimals more than dollars.
            expect(move.conversion!.leastOut * 10n ** 12n * 100n).toBeGreaterThanOrEqual(move.conversion!.amountIn * 2_500n * 95n)
          } else {
            expect(move.conversion).toBeUndefined()
            expect(others.every(({ to }) => to === collector)).toBe(true)
          }
          if (isFirst && reason.kind === 'merchant')
            expect([terms.order_id, first?.to, move.legs.reduce((sum, { amount }) => sum + amount, 0n)]).toEqual(['ord_1', payer, usd(9)])
        }
        for (const entry of ledger.entries) {
          const { perMove, perHour } = rules.limits[entry.budget]
          if (perMove === undefined || perHour === undefined) continue
          const hour = ledger.entries.filter(({ at, budget }) => budget === entry.budget && at <= entry.at && at > entry.at - hourMs)
          expect(hour.reduce((sum, { atRisk }) => sum + atRisk, 0n)).toBeLessThanOrEqual(perHour)
          expect(entry.atRisk).toBeLessThanOrEqual(perMove)
        }
      },
    ),
    { numRuns: 500 },
  )
  expect(signed).toBeGreaterThan(100)
})

test('property: a refund counts in full and never for less than it is worth', async () => {
  await fc.assert(
    fc.asyncProperty(fc.bigInt({ min: 1n, max: 10n ** 18n }), async (amount) => {
      const guard = guardWith()
      await guard.sign(surplus({ tokenIn: coin, tokenOut: coin, legs: [{ to: payer, amount }] }), signal)
      const [entry] = guard.ledger.entries
      expect(entry!.atRisk * 10n ** 12n).toBeGreaterThanOrEqual(amount * 2_500n)
      expect((entry!.atRisk - 1n) * 10n ** 12n).toBeLessThan(amount * 2_500n)
    }),
    { numRuns: 100 },
  )
})

test('behavior: a failing signer costs a part of the limit once, and the move is signed later', async () => {
  let isDown = true
  const signer = {
    ...signerOf,
    sign: (...args: Parameters<typeof signerOf.sign>) => (isDown ? Promise.reject(new Error('down')) : signerOf.sign(...args)),
  }
  const guard = guardWith({ signer })
  for (let i = 0; i < 3; i++) await expect(guard.sign(surplus(), signal)).rejects.toThrow('down')
  isDown = false
  expect(await guard.sign(surplus(), signal)).toMatch(/^0x/)
  expect(guard.ledger.entries).toHaveLength(1)
})

test('behavior: what was signed once is signed again without a price, and beyond the limit', async () => {
  let price: { usd: string; decimals: number } | undefined = { usd: '1', decimals: 6 }
  const guard = guardWith({ priceOf: async () => price })
  for (const nonce of [1n, 2n]) await guard.sign(surplus({ nonce, legs: [{ to: payer, amount: usd(5_000) }] }), signal)
  await expect(guard.sign(surplus({ nonce: 3n }), signal)).rejects.toThrow('limit is used up')
  price = undefined
  expect(await guard.sign(surplus({ nonce: 2n, legs: [{ to: payer, amount: usd(5_000) }] }), signal)).toMatch(/^0x/)
  await expect(guard.sign(surplus({ nonce: 4n }), signal)).rejects.not.toBeInstanceOf(GuardRefused)
})
