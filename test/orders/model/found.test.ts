import { describe, expect, test } from 'vitest'
import { decide } from '../../../server/orders/model/decide.ts'
import { atDeposit, surplus } from '../../../server/orders/model/funding.ts'
import { snapshot } from '../../../server/orders/model/snapshot.ts'
import { checkWhole, ledgerOf } from './invariants.ts'
import {
  awaiting,
  completed,
  day,
  ether,
  etherQuote,
  legsOf,
  minute,
  money,
  payer,
  policy,
  releaseAt,
  running,
  stateOf,
  story,
  type Story,
  usdc,
  usdt,
} from './support.ts'

/** Somebody else settles or releases an order. */

const booked = ({ log }: Story, account: string, asset = usdc) => ledgerOf(log).get(`${account} ${asset.chainId} ${asset.address}`) ?? 0n

function paid(amount = 1000n, refundAddress?: string, terms = {}) {
  const sale = awaiting(terms, refundAddress)
  sale.pay(amount)
  sale.statuses()
  return sale
}

test('property: what a move costs grows no faster than the number of moves before it', () => {
  const reads = (count: number) => {
    const sale = paid(400n)
    sale.theyMove(1n)
    const [settlement] = sale.order.settlements
    let read = 0
    const counted = new Proxy(settlement!, { get: (target, name) => (read++, Reflect.get(target, name)) })
    const settlements = Array.from({ length: count }, () => counted)
    const transfers = [...sale.order.transfers, { ...sale.order.transfers[0]!, key: 'dust', amount: BigInt(count) }]
    const legs = [{ role: 'recipient', to: '0x1', amount: 1n }] as const
    const move = { type: 'found', id: 'more', asset: usdc, legs, txHash: '0xf', block: 300 } as const
    decide({ ...sale.order, settlements, transfers }, move, policy, sale.now)
    return read
  }
  const few = reads(50)
  expect(reads(200)).toBeLessThan(5 * few)
})

describe('what the merchant learns', () => {
  const dusty = (more: (sale: Story) => void = () => undefined) => {
    const sale = paid(10n)
    more(sale)
    sale.theyMove(10n)
    const announced = sale.log.flatMap(({ fact }) => (fact.type === 'settlement_found' ? [fact.isAnnounced] : []))
    return { sale, announced, statuses: sale.statuses() }
  }
  const afterRelease = (sale: Story) => {
    sale.wait(releaseAt - sale.now)
    sale.tick()
    sale.statuses()
  }

  test('behavior: dust that a stranger releases is neither announced nor shown as what settled the order', () => {
    const { sale, announced, statuses } = dusty(afterRelease)
    expect([announced, statuses]).toEqual([[false], []])
    expect(sale.order.status).toBe('EXPIRED')
    expect(snapshot(sale.order).payment).toMatchObject({ destination_tx_hash: undefined })
  })

  test('behavior: dust that is moved before the release time is announced once', () => {
    const { sale, announced, statuses } = dusty()
    expect([announced, statuses]).toEqual([[true], ['AWAITING_PAYMENT']])
    sale.pay(10n)
    sale.theyMove(10n)
    expect(sale.statuses()).toEqual([])
  })

  test('behavior: a payment that a stranger releases is announced and shown', () => {
    const sale = paid(100n)
    afterRelease(sale)
    sale.theyMove(100n)
    expect(sale.statuses()).toEqual([sale.order.status])
    expect(snapshot(sale.order).payment).toMatchObject({ destination_tx_hash: '0xf01' })
  })
})

describe('all of it', () => {
  test('default: the order is completed, the transfers are applied, and the transaction is shown', () => {
    const sale = paid()
    sale.settle('failed')
    sale.statuses()
    sale.theyMove(1000n)
    expect(sale.statuses()).toEqual(['FAILED', 'EXECUTING_ORDER', 'COMPLETED'])
    expect(sale.order.transfers).toMatchObject([{ state: 'applied' }])
    expect(snapshot(sale.order).payment).toMatchObject({ destination_tx_hash: '0xf01', held: undefined })
    expect([booked(sale, 'recipient'), booked(sale, 'deposit')]).toEqual([1000n, 0n])
    checkWhole(sale.order, sale.log)
  })

  test('behavior: it is found before the payment is confirmed, which then completes the order', () => {
    const sale = awaiting()
    const paid = sale.see(1000n)
    sale.theyMove(990n, 10n)
    expect(sale.order.status).toBe('AWAITING_CONFIRMATION')
    expect(atDeposit(sale.order, usdc)).toBe(-1000n)
    sale.confirm()
    expect(sale.order.status).toBe('COMPLETED')
    expect(stateOf(sale, paid)).toBe('applied')
    checkWhole(sale.order, sale.log)
  })

  test('behavior: it is found before the payment is seen, also on an order that nobody has looked at', () => {
    const sale = story()
    sale.theyMove(990n, 10n)
    expect(sale.order.status).toBe('PENDING')
    expect(running(sale.order)).toBeUndefined()
    const paid = sale.pay(1000n)
    expect(sale.order.status).toBe('COMPLETED')
    expect(stateOf(sale, paid)).toBe('applied')
    expect(sale.order.settlements).toHaveLength(1)
    checkWhole(sale.order, sale.log)
  })

  test.for(['planned', 'broadcast', 'mined'] as const)('behavior: while our settlement is %s, which then moves nothing', (state) => {
    const sale = paid()
    if (state !== 'planned') sale.settle(state)
    sale.theyMove(990n, 10n)
    expect(sale.order.status).toBe('COMPLETED')
    if (state === 'planned') sale.settle('failed')
    else sale.settle('confirmed', () => false)
    expect(sale.statuses()).toEqual(['EXECUTING_ORDER', 'COMPLETED'])
    expect(sale.order.transfers).toMatchObject([{ state: 'applied' }])
    expect([booked(sale, 'recipient'), booked(sale, 'fees'), booked(sale, 'deposit')]).toEqual([990n, 10n, 0n])
    expect(snapshot(sale.order).payment).toMatchObject({ destination_tx_hash: '0xf01', fee_tx_hash: '0xf01' })
    checkWhole(sale.order, sale.log)
  })

  test('behavior: a higher fee than ours leaves the recipient less, and nothing is due from the payer', () => {
    const sale = paid()
    sale.theyMove(980n, 20n)
    expect(sale.order.status).toBe('COMPLETED')
    sale.settle('confirmed', () => false)
    expect(running(sale.order)).toBeUndefined()
    checkWhole(sale.order, sale.log)
  })

  test('behavior: a surplus that went to the recipient is the merchant’s to give back', () => {
    const sale = paid(1100n, payer)
    sale.theyMove(1100n)
    sale.settle('confirmed', () => false)
    expect(sale.order).toMatchObject({ status: 'COMPLETED', refunds: [] })
    expect(surplus(sale.order)).toBe(100n)
    sale.refund(100n, { from: 'order' })
    sale.refundOutcome('confirmed', [true])
    checkWhole(sale.order, sale.log)
  })

  test('behavior: a surplus that is left goes back, and a fee that was left stays', () => {
    const sale = paid(1100n, payer)
    sale.theyMove(990n)
    sale.settle('failed')
    expect(sale.order.refunds).toMatchObject([{ amount: 100n, reason: 'overpaid' }])
    sale.refundOutcome()
    expect(atDeposit(sale.order, usdc)).toBe(10n)
    checkWhole(sale.order, sale.log)
  })

  test('behavior: within the tolerance a smaller payment is all that was due', () => {
    const sale = paid(985n, undefined, { toleranceBps: 100 })
    expect(sale.order.status).toBe('PARTIAL_PAYMENT')
    sale.theyMove(985n)
    expect(sale.order.status).toBe('COMPLETED')
  })

  test('behavior: the tolerance leaves nothing of a payment in full at the address', () => {
    const sale = paid(1000n, payer, { toleranceBps: 1000 })
    sale.theyMove(900n)
    sale.settle('confirmed', () => false)
    expect(legsOf(sale)).toEqual({ recipient: 90n, fees: 10n })
    sale.settle()
    expect(sale.order).toMatchObject({ status: 'COMPLETED', refunds: [] })
    checkWhole(sale.order, sale.log)
  })
})

describe('a part', () => {
  test('behavior: what is required, received and due from the payer stays, and only the rest is settled', () => {
    const sale = paid(400n)
    sale.theyMove(395n, 5n)
    expect(sale.statuses()).toEqual(['PARTIAL_PAYMENT'])
    expect(money(sale)).toMatchObject({ required: 1000n, received: 400n, remaining: 600n })
    expect(sale.order.transfers).toMatchObject([{ state: 'applied' }])
    sale.pay(600n)
    expect(legsOf(sale)).toEqual({ recipient: 595n, fees: 5n })
    sale.settle()
    expect(sale.order.status).toBe('COMPLETED')
    expect([booked(sale, 'recipient'), booked(sale, 'fees'), booked(sale, 'deposit')]).toEqual([990n, 10n, 0n])
    expect(snapshot(sale.order).payment?.destination_tx_hash).toBe('0x5e77s2')
    checkWhole(sale.order, sale.log)
  })

  test('behavior: a higher fee than ours is not taken from what is still due to the recipient', () => {
    const sale = paid(400n)
    sale.theyMove(380n, 20n)
    sale.pay(600n)
    expect(legsOf(sale)).toEqual({ recipient: 600n })
  })

  test.for(['planned', 'broadcast', 'mined'] as const)(
    'behavior: while our settlement is %s, which then pays the rest at once',
    (state) => {
      const sale = paid()
      if (state !== 'planned') sale.settle(state)
      sale.theyMove(300n)
      expect(sale.order.status).toBe('EXECUTING_ORDER')
      if (state === 'planned') sale.settle('failed')
      else sale.settle('confirmed', () => false)
      expect(legsOf(sale)).toEqual({ recipient: 690n, fees: 10n })
      sale.settle()
      expect(sale.statuses()).toEqual(['EXECUTING_ORDER', 'COMPLETED'])
      expect([booked(sale, 'recipient'), booked(sale, 'deposit')]).toEqual([990n, 0n])
      checkWhole(sale.order, sale.log)
    },
  )

  test('behavior: our settlement pays although they were faster, because there was a surplus', () => {
    const sale = paid(2000n, payer)
    sale.settle('broadcast')
    sale.theyMove(990n, 10n)
    sale.settle()
    expect(sale.order).toMatchObject({ status: 'COMPLETED', refunds: [] })
    expect([booked(sale, 'recipient'), booked(sale, 'deposit')]).toEqual([1980n, 0n])
    expect(surplus(sale.order)).toBe(1000n)
    checkWhole(sale.order, sale.log)
  })

  test('behavior: a payment partly moved after our settlement failed is settled by the retry', () => {
    const sale = paid()
    sale.settle('failed')
    sale.theyMove(100n)
    expect(sale.order.status).toBe('FAILED')
    expect(snapshot(sale.order).payment?.held).toMatchObject([{ amount: { raw: '900' } }])
    sale.wait(minute)
    sale.tick()
    expect(legsOf(sale)).toEqual({ recipient: 890n, fees: 10n })
    sale.settle()
    expect(sale.order.status).toBe('COMPLETED')
    checkWhole(sale.order, sale.log)
  })

  test('behavior: it is found once, however often it is reported', () => {
    const sale = paid(400n)
    const found = {
      type: 'found',
      id: 'f',
      asset: usdc,
      legs: [{ role: 'recipient', to: '0x1', amount: 100n }],
      txHash: '0x1',
      block: 1,
    } as const
    expect(sale.handle(found)).not.toEqual([])
    expect(sale.handle(found)).toEqual([])
    expect(booked(sale, 'deposit')).toBe(300n)
  })
})

describe('a release', () => {
  test('behavior: of too little on an expired order, which stays expired', () => {
    const sale = awaiting()
    const little = sale.pay(20n)
    sale.wait(31 * minute)
    sale.tick()
    expect(stateOf(sale, little)).toBe('held: too_little')
    expect(snapshot(sale.order).payment?.held_until).toBe(new Date(releaseAt).toISOString())
    sale.statuses()
    sale.wait(30 * day)
    sale.theyMove(20n)
    for (let i = 0; i < 3; i++) {
      sale.pay(1n)
      sale.theyMove(1n)
    }
    expect(sale.statuses()).toEqual([])
    expect(stateOf(sale, little)).toBe('applied')
    expect(snapshot(sale.order).payment).toMatchObject({ held: undefined, held_until: undefined })
    checkWhole(sale.order, sale.log)
  })

  test('behavior: of a late payment in full completes an expired order', () => {
    const sale = awaiting()
    sale.wait(31 * minute)
    sale.tick()
    sale.theyMove(1000n)
    expect(sale.order.status).toBe('EXPIRED')
    sale.pay(1000n)
    expect(sale.order.status).toBe('COMPLETED')
    checkWhole(sale.order, sale.log)
  })

  test('behavior: of money of another token, which changes no status', () => {
    const sale = completed()
    const stray = sale.pay(70n, { asset: usdt })
    sale.theyMove(70n, 0n, usdt)
    expect(sale.statuses()).toEqual(['COMPLETED'])
    expect(stateOf(sale, stray)).toBe('applied')
    expect(snapshot(sale.order).payment?.destination_tx_hash).toBe('0x5e77s1')
    expect([booked(sale, 'recipient', usdt), booked(sale, 'deposit', usdt)]).toEqual([70n, 0n])
    checkWhole(sale.order, sale.log)
  })

  test('behavior: of a surplus whose refund the guard did not sign for: that refund then fails', () => {
    const sale = completed(payer, 1100n)
    sale.handle({ type: 'refund_outcome', id: 'r1', outcome: { state: 'waiting' } })
    sale.theyMove(100n)
    expect(snapshot(sale.order).payment?.waiting_for).toBeUndefined()
    sale.refundOutcome('failed')
    expect(sale.order).toMatchObject({ status: 'COMPLETED', refunds: [{ state: 'failed' }] })
    expect(snapshot(sale.order).payment?.waiting_for).toBeUndefined()
    expect(booked(sale, 'deposit')).toBe(0n)
    checkWhole(sale.order, sale.log)
  })

  test('behavior: of all that a failed conversion has left, which is the merchant’s', () => {
    const sale = story()
    sale.choose({ source: ether, quote: { ...etherQuote() } })
    sale.pay(5000n, { asset: ether })
    sale.settle('failed')
    sale.theyMove(5000n, 0n, ether)
    expect(sale.order.status).toBe('COMPLETED')
    expect(sale.order.transfers).toMatchObject([{ state: 'applied' }])
    checkWhole(sale.order, sale.log)
  })

  test('behavior: of what a conversion yielded for a recipient who did not take it then', () => {
    const sale = story()
    sale.choose({ source: ether, quote: { ...etherQuote() } })
    sale.pay(5000n, { asset: ether })
    sale.settle('confirmed', () => false)
    expect(sale.order.status).toBe('FAILED')
    sale.theyMove(1000n)
    expect(sale.order.status).toBe('COMPLETED')
    expect([booked(sale, 'recipient'), booked(sale, 'deposit'), booked(sale, 'deposit', ether)]).toEqual([1000n, 0n, 0n])
    checkWhole(sale.order, sale.log)
  })

  test('behavior: of money at a REFUND order whose own refund another address sends', () => {
    const sale = story({ mode: 'REFUND', recipient: payer, refundOf: { orderId: 'ord_0', refundId: 'r1', fromDeposit: true } })
    const stray = sale.pay(1000n)
    sale.theyMove(1000n)
    expect(sale.order.status).not.toBe('COMPLETED')
    expect(stateOf(sale, stray)).toBe('applied')
    expect([atDeposit(sale.order, usdc), booked(sale, 'deposit')]).toEqual([0n, 0n])
  })

  test('behavior: of a second payment of an invoice does not complete the order', () => {
    const sale = awaiting()
    sale.handle({ type: 'supersede', by: 'ord_2' })
    const late = sale.pay(1000n)
    sale.statuses()
    sale.theyMove(1000n)
    expect(sale.statuses()).toEqual(['EXPIRED'])
    expect(stateOf(sale, late)).toBe('applied')
  })
})

describe('undone by a reorganisation', () => {
  test('behavior: the order is settled by us after all, and what is found again counts again', () => {
    const sale = paid()
    sale.settle('failed')
    const id = sale.theyMove(990n, 10n)
    sale.statuses()
    sale.lose(id)
    expect(sale.statuses()).toEqual(['EXECUTING_ORDER'])
    expect(legsOf(sale)).toEqual({ recipient: 990n, fees: 10n })
    expect(booked(sale, 'deposit')).toBe(1000n)
    const legs = [{ role: 'recipient', to: '0x1', amount: 1000n }] as const
    sale.handle({ type: 'found', id, asset: usdc, legs, txHash: '0xf01', block: 300 })
    sale.settle('confirmed', () => false)
    expect(sale.order.status).toBe('COMPLETED')
    expect(sale.order.settlements.filter((settlement) => settlement.id === id)).toHaveLength(1)
    expect([booked(sale, 'recipient'), booked(sale, 'deposit')]).toEqual([1000n, 0n])
    sale.lose(id)
    sale.settle()
    expect([booked(sale, 'recipient'), booked(sale, 'fees'), booked(sale, 'deposit')]).toEqual([990n, 10n, 0n])
    checkWhole(sale.order, sale.log)
  })

  test('behavior: a part that is lost is settled with the rest', () => {
    const sale = paid(400n)
    const id = sale.theyMove(400n)
    sale.lose(id)
    expect(sale.order.transfers).toMatchObject([{ state: 'confirmed' }])
    expect(sale.order.status).toBe('PARTIAL_PAYMENT')
    sale.pay(600n)
    expect(legsOf(sale)).toEqual({ recipient: 990n, fees: 10n })
  })

  test('behavior: what came after a settlement that is gone, with its payment, pays the order', () => {
    const sale = awaiting()
    const first = sale.pay(1100n)
    const id = sale.theyMove(1100n)
    sale.settle('failed')
    const second = sale.pay(1101n)
    expect(stateOf(sale, second)).toBe('held: after_settlement')
    sale.vanish(first)
    sale.lose(id)
    expect(sale.order.status).toBe('EXECUTING_ORDER')
    expect(legsOf(sale)).toEqual({ recipient: 990n, fees: 10n })
    sale.settle()
    expect(sale.order.status).toBe('COMPLETED')
    expect(stateOf(sale, second)).toBe('applied')
    checkWhole(sale.order, sale.log)
  })

  test('behavior: released money is held again for its reason, and an order that we settled stays completed', () => {
    const sale = completed()
    const late = sale.pay(50n)
    const id = sale.theyMove(50n)
    expect(stateOf(sale, late)).toBe('applied')
    sale.lose(id)
    expect(stateOf(sale, late)).toBe('held: after_settlement')
    expect(sale.order.transfers[0]).toMatchObject({ state: 'applied' })
    expect(sale.order.status).toBe('COMPLETED')
    expect(sale.lose(id)).toEqual([])
    checkWhole(sale.order, sale.log)
  })
})
