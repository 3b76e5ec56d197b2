import { expect, test } from 'vitest'
import { isOurs, type Keys } from '../../demo/till-api.ts'

/** What the demo shop believes about an order of a webhook. */

const keys: Keys = {
  baseUrl: 'http://localhost:4020/v3',
  apiKey: 'pk',
  apiSecret: 'sk',
  webhookSecret: 'whsec',
  recipients: ['0x47d47697e521c3899b38e933ad99e3388d9a1223', '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2'],
  factory: '0xcb006CBcc7481dCA1897bb71b7e9601200ccAa4b',
}
const price = { amount: '42.50', unit: 'usd' }
const paidTo = (recipient: string) => ({ id: 'ord_1', created_by: 'signature', price, fulfillment: { recipient } })

test('default: an order that pays one of the shop’s addresses is the shop’s, on whatever chain it was paid', () => {
  for (const recipient of [...keys.recipients, '0x47D47697E521C3899B38E933AD99E3388D9A1223'])
    expect(isOurs(keys, price, paidTo(recipient))).toBe(true)
})

test('error: another address, and one whose letters have another case where case matters, are not the shop’s', () => {
  for (const recipient of ['0x0000000000000000000000000000000000000001', '1bvbmseystwetqtfn5au4m4gfg7xjanvn2'])
    expect(isOurs(keys, price, paidTo(recipient))).toBe(false)
  expect(isOurs(keys, { ...price, amount: '1.00' }, paidTo(keys.recipients[0]!))).toBe(false)
  expect(isOurs(keys, undefined, paidTo(keys.recipients[0]!))).toBe(false)
})
