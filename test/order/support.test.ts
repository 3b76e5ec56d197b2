import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { hasOpenMoney } from '../../src/order/open-money.ts'
import { supportUrlOf } from '../../src/order/support.ts'
import * as orders from '../support/orders/orders.ts'

const withSupport = (support_url: string, more: Parameters<typeof orders.pending>[0] = {}) =>
  orders.pending({ settings: { ...orders.pending().settings!, support_url }, ...more })
const urlOf = (support_url: string, subject = 'Order NW-20418') => supportUrlOf(withSupport(support_url), subject)

test('default: a page is linked as it is, and a mail gets the reference in its subject', () => {
  expect(urlOf('https://shop.example/help?a=b')).toBe('https://shop.example/help?a=b')
  expect(urlOf('mailto:help@shop.example')).toBe('mailto:help@shop.example?subject=Order%20NW-20418')
  expect(urlOf('mailto:help@shop.example', 'a&bcc=c@d.example#\ud800')).toBe(
    'mailto:help@shop.example?subject=a%26bcc%3Dc%40d.example%23%EF%BF%BD',
  )
})

test('error: anything else is not linked, and nothing of an unsigned order', () => {
  for (const url of [
    'http://shop.example',
    'javascript:alert(1)',
    ' javascript:alert(1)',
    'data:text/html,x',
    'mailto:help@shop.example?bcc=other@shop.example',
    'mailto:help@shop.example,other@shop.example',
    'mailto:help@shop.example%0Abcc:other@shop.example',
    'mailto:help@shop.example\nbcc:other@shop.example',
    'mailto:help@shop.example;other@shop.example',
    'mailto:help@shop.example@other.example',
    'mailto:<help@shop.example>',
    'mailto:"help"@shop.example',
  ])
    expect(urlOf(url), url).toBeUndefined()
  expect(supportUrlOf(orders.byStranger(withSupport('https://shop.example')), '')).toBeUndefined()
})

test('property: no setting leads elsewhere than to a page or a mail with one subject', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (text, subject) => {
      for (const url of [text, `mailto:${text}`, `https://${text}`])
        expect(urlOf(url, subject) ?? 'https://').toMatch(/^(https:\/\/|mailto:[^?&,;@<>"\s]+@[^?&,;@<>"\s]+\?subject=[^?&\s]*$)/i)
    }),
  )
})

test('default: money is open while it is held for the payer, and after it went back', () => {
  expect(hasOpenMoney(orders.completed())).toBe(false)
  for (const make of [orders.overpaid, orders.refunded, orders.wrongChain, orders.expiredStray])
    expect(hasOpenMoney(make()), make.name).toBe(true)
})

test('behavior: money is open while a transfer is not final, because a duplicate may still become one to give back', () => {
  const order = orders.completed()
  const duplicate = orders.transfer('42.50', { state: 'seen', tx_hash: '0xd0b1e' })
  const { payment } = order
  const funding = { ...payment!.funding!, transactions: [...payment!.funding!.transactions!, duplicate] }
  expect(hasOpenMoney({ ...order, payment: { ...payment!, funding } })).toBe(true)
})
