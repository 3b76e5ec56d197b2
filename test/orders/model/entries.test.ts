import { expect, test } from 'vitest'
import { type Account, entriesOf } from '../../../server/orders/model/entries.ts'
import { running, story } from './support.ts'

/** Books what a settlement of 990 units and 10 of fees has paid, of which these legs arrived, with a dust of 7. */
function booked({ paid, networkFee }: { readonly paid: readonly boolean[]; readonly networkFee?: bigint }) {
  const sale = story()
  sale.pay(1000n)
  const { id } = running(sale.order)!
  const fact = { type: 'settlement_confirmed', id, txHash: '0x5e77', paid, dust: 7n, ...(networkFee && { networkFee }) } as const
  const sums: Partial<Record<Account, bigint>> = {}
  for (const { account, amount } of entriesOf(sale.order, fact)) sums[account] = (sums[account] ?? 0n) + amount
  return sums
}

test('behavior: dust is booked where it went, which is to whom was paid last', () => {
  expect(booked({ paid: [true, true] })).toEqual({ deposit: -1007n, recipient: 990n, fees: 17n })
  expect(booked({ paid: [true, false] })).toEqual({ deposit: -997n, recipient: 997n })
})

test('behavior: dust of a transaction that pays its own fee is the collector’s, who gets what the network leaves', () => {
  expect(booked({ paid: [true, true], networkFee: 4n })).toEqual({ deposit: -1007n, recipient: 990n, fees: 10n, collector: 3n, gas: 4n })
})
