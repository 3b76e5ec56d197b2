import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Policy } from '../../../server/orders/model/commands.ts'
import { everReceived, refunded } from '../../../server/orders/model/funding.ts'
import { collector, ether, etherQuote, payer, policy, story, type Story, usdc, plain } from './support.ts'

/** Dust and rent: a chain pays nothing below an amount that depends on the receiver. */

const costs = fc.record({
  refund: fc.bigInt({ min: 0n, max: 12n }),
  toPayer: fc.bigInt({ min: 1n, max: 12n }),
  toCollector: fc.bigInt({ min: 1n, max: 12n }),
})
type Costs = typeof costs extends fc.Arbitrary<infer T> ? T : never

const policyOf = ({ refund, toPayer, toCollector }: Costs): Policy => ({
  ...policy,
  refundGas: () => refund,
  leastLeg: (_, to) => (to === collector ? toCollector : toPayer),
})

/** Returns the legs of refunds and gas that were planned so far. */
const returned = ({ log }: Story) =>
  log.flatMap(({ fact }) => {
    if (fact.type !== 'refund_planned' || fact.refund.from !== 'deposit') return []
    const { address, amount, gas } = fact.refund
    return [{ to: address, amount: amount - gas }, ...(gas > 0n ? [{ to: collector, amount: gas }] : [])]
  })

function checkLegs(sale: Story, given: Policy): void {
  for (const { to, amount } of returned(sale)) expect(amount).toBeGreaterThanOrEqual(given.leastLeg(usdc, to))
  expect(refunded(sale.order, usdc)).toBeLessThanOrEqual(everReceived(sale.order, usdc))
}

const amount = fc.bigInt({ min: 0n, max: 30n })

test('property: a surplus, late money and a refund by the merchant are sent only in amounts that the chain can pay', () => {
  fc.assert(
    fc.property(costs, amount, amount, amount, (setting, surplus, late, asked) => {
      const given = policyOf(setting)
      const sale = story({}, { costs: given })
      sale.choose({ refundAddress: plain(payer) })
      sale.pay(1000n + surplus)
      sale.settle()
      expect(sale.order.refunds.length > 0).toBe(surplus >= setting.refund + setting.toPayer)
      if (sale.order.refunds.at(-1)?.state === 'pending') sale.refundOutcome()
      if (late > 0n) sale.pay(late)
      if (sale.order.refunds.at(-1)?.state === 'pending') sale.refundOutcome()
      checkLegs(sale, given)

      const other = story({}, { costs: given })
      other.choose()
      if (asked > 0n) other.pay(asked)
      other.wait(2 * policy.paymentWindowMs)
      other.tick()
      const refund = { id: 'r1', asset: usdc, amount: asked, gas: setting.refund, address: payer, from: 'deposit', refundOrderId: 'ord_r1' }
      const isSendable = asked >= setting.refund + setting.toPayer
      if (!isSendable) expect(other.refused({ type: 'refund', refund: { ...refund, from: 'deposit' } })).toBe('refund_too_large')
      else other.refund(asked, { gas: setting.refund })
      checkLegs(other, given)
    }),
  )
})

test('property: money that could not be converted goes back only in amounts that the chain can pay', () => {
  fc.assert(
    fc.property(costs, fc.bigInt({ min: 1n, max: 30n }), (setting, paid) => {
      const given = policyOf(setting)
      const sale = story({}, { costs: given })
      sale.choose({ source: ether, quote: { ...etherQuote(paid) }, refundAddress: plain(payer) })
      sale.pay(paid, { asset: ether })
      for (let attempt = 1; attempt <= policy.conversionAttempts; attempt++) {
        sale.settle('failed')
        if (attempt === policy.conversionAttempts) break
        sale.wait(policy.retryAfterMs.at(-1)!)
        sale.tick()
      }
      expect(sale.order.refunds.length > 0).toBe(paid >= setting.refund + setting.toPayer)
      checkLegs(sale, given)
    }),
  )
})

test('behavior: gas that is too little for a leg is not deducted, so the payer gets it back', () => {
  const sale = story({}, { costs: policyOf({ refund: 3n, toPayer: 1n, toCollector: 10n }) })
  sale.choose({ refundAddress: plain(payer) })
  sale.pay(1020n)
  sale.settle()
  expect(sale.order.refunds).toMatchObject([{ amount: 20n, gas: 0n }])
})
