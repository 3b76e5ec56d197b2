import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fewDigits } from '../../src/i18n/few-digits.ts'
import { formatUnits } from '../../src/wire/money.ts'

test.each([
  ['42933768760000000000', 18, '42.94'],
  ['17180340000000000', 18, '0.01719'],
  ['66855', 8, '0.0006686'],
  ['42500000', 6, '42.5'],
  ['17244100000', 6, '17244.1'],
  ['12345678', 6, '12.35'],
  ['7', 0, '7'],
])('default: %s with %i decimals is %s in a list', (raw, decimals, text) => {
  expect(formatUnits(fewDigits(BigInt(raw), decimals), decimals)).toBe(text)
})

test('behavior: a row never says less than will be asked, and less than a thousandth or a cent more', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: 10n ** 30n }), fc.integer({ min: 0, max: 24 }), (raw, decimals) => {
      const said = fewDigits(raw, decimals)
      expect(said >= raw).toBe(true)
      expect((said - raw) * 1_000n < raw || (said - raw) * 100n < 10n ** BigInt(decimals)).toBe(true)
    }),
  )
})
