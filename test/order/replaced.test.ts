import fc from 'fast-check'
import { expect, test } from 'vitest'
import { newsOf } from '../../src/order/news.ts'
import { lostToReplacement, replacementOf } from '../../src/order/replaced.ts'
import { waitOf } from '../../src/order/wait.ts'
import { OrderRead } from '../../src/wire/order-read.ts'
import * as bitcoin from '../support/orders/bitcoin-orders.ts'
import * as orders from '../support/orders/orders.ts'

function withReplaced(transfers: readonly string[], pairs: readonly (readonly [string, string])[]): OrderRead {
  const order = bitcoin.seen()
  const { payment } = order
  return {
    ...order,
    payment: {
      ...payment!,
      funding: { ...payment!.funding!, transactions: transfers.map((tx_hash) => bitcoin.bitcoinTransfer('0.0001', { tx_hash })) },
      replaced: pairs.map(([tx_hash, by]) => ({ ...bitcoin.replaced('0.0002', by), tx_hash })),
    },
  }
}

test('default: a replacement that pays is no news, one that does not is, and a disappearance without either is another', () => {
  expect(newsOf(bitcoin.seen(), bitcoin.seenAgain())).toBeUndefined()
  expect(newsOf(bitcoin.seen(), bitcoin.takenBack())).toMatchObject({ type: 'replaced', amount: { raw: 45_698n } })
  expect(newsOf(bitcoin.seen(), bitcoin.awaiting())).toMatchObject({ type: 'vanished' })
})

test('behavior: replacements are followed to the last one, and only that one can be lost', () => {
  const pays = withReplaced(
    ['c'],
    [
      ['a', 'b'],
      ['b', 'c'],
    ],
  )
  expect(replacementOf(pays, 'a')).toBe('pays')
  expect(lostToReplacement(pays)).toBeUndefined()
  const lost = withReplaced(
    [],
    [
      ['a', 'b'],
      ['b', 'c'],
    ],
  )
  expect(replacementOf(lost, 'a')).toBe('lost')
  expect(lostToReplacement(lost)).toMatchObject({ raw: 20_000n })
  expect(replacementOf(lost, 'x')).toBe('none')
})

test('property: any list of replacements has an answer, and what pays is never called lost', () => {
  const name = fc.constantFrom('a', 'b', 'c', 'd', 'e')
  fc.assert(
    fc.property(fc.array(name, { maxLength: 3 }), fc.array(fc.tuple(name, name), { maxLength: 6 }), name, (transfers, pairs, hash) => {
      const order = withReplaced(transfers, pairs)
      const answer = replacementOf(order, hash)
      expect(['none', 'pays', 'lost']).toContain(answer)
      if (transfers.includes(hash)) expect(answer).not.toBe('lost')
      if (pairs.every(([, by]) => transfers.includes(by))) expect(lostToReplacement(order)).toBeUndefined()
    }),
  )
})

test('behavior: malformed entries of `replaced` are dropped, and the others are kept', () => {
  const entry = bitcoin.replaced('0.0002', 'b')
  const read = OrderRead.parse({ id: 'o', status: 'PENDING', payment: { replaced: [entry, { ...entry, replaced_by: 7 }, 'x', null] } })
  expect(read.payment?.replaced?.map(({ tx_hash }) => tx_hash)).toEqual([entry.tx_hash])
  expect(OrderRead.parse({ id: 'o', status: 'PENDING', payment: { replaced: 'all' } }).payment?.replaced).toBeUndefined()
})

test('behavior: the wait follows the estimate in blocks, and only where blocks are minutes apart', () => {
  const wait = (seconds: number | undefined) => {
    const order = bitcoin.awaiting()
    return waitOf({ ...order, payment: { ...order.payment!, estimated_duration_seconds: seconds } })
  }
  expect(wait(1200)).toEqual({ seconds: 1200, minutes: 20, blocks: { from: 1, to: 3 } })
  expect(wait(3600)).toMatchObject({ minutes: 60, blocks: { from: 5, to: 7 } })
  // An absurd estimate is no estimate.
  for (const seconds of [undefined, 0, -5, 12, 1e300, Number.NaN]) expect(wait(seconds), String(seconds)).toMatchObject({ minutes: 20 })
  expect(waitOf(orders.awaiting())).toBeUndefined()
})
