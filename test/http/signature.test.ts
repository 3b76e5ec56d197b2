import { expect, test } from 'vitest'
import { isSignedBy, sign, textToSign } from '../../server/http/signature.ts'

test('default: a signature is valid for five minutes either side of its timestamp, to the second', () => {
  const now = 1_780_000_000_999
  const isValid = (offset: number) => {
    const timestamp = String(Math.floor(now / 1000) + offset)
    const text = textToSign('GET', '/orders', timestamp)
    return isSignedBy('a secret', text, { apiKey: 'pk', signature: sign('a secret', text), timestamp }, now)
  }
  expect([-301, -300, 0, 300, 301].map(isValid)).toEqual([false, true, true, true, false])
})
