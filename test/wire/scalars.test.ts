import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import {
  Address,
  DateTime,
  Decimal,
  Email,
  HttpUrl,
  Id,
  IntegerRead,
  Origin,
  RawString,
  SecureUrl,
  StorableDateTime,
  SupportUrl,
  text,
  TxHash,
} from '../../src/wire/scalars.ts'
import { payer } from '../orders/model/support.ts'

const shapes: Record<string, { schema: z.ZodMiniType; good: string[]; bad: unknown[] }> = {
  RawString: {
    schema: RawString,
    good: ['0', '1', (2n ** 256n - 1n).toString()],
    bad: ['', '01', '-1', '1.0', '1e3', '9'.repeat(79), 1, null],
  },
  Decimal: { schema: Decimal, good: ['0', '42.50', `0.${'1'.repeat(36)}`], bad: [`0.${'1'.repeat(37)}`, '1.', '1e3', '1,5', 42.5, ['1']] },
  DateTime: {
    schema: DateTime,
    good: ['2026-05-12T14:02:11Z', '2026-05-12T14:02:11.000+02:00'],
    bad: ['2026-05-12', '2026-05-12 14:02:11', '2026-13-01T00:00:00Z', 0],
  },
  Id: { schema: Id, good: ['ord_7f3a', 'A-_9'], bad: ['', 'a b', '../x', 'a'.repeat(65), 'é'] },
  HttpUrl: {
    schema: HttpUrl,
    good: ['http://a.example/x', 'https://a.example'],
    bad: ['ftp://a.example', 'javascript:alert(1)', 'a.example', `https://a.example/${'x'.repeat(2048)}`],
  },
  SecureUrl: {
    schema: SecureUrl,
    good: ['https://shop.example/a?b#c', 'http://localhost:3000/x', 'http://127.0.0.1'],
    bad: [
      'http://shop.example',
      'http://localhost.evil.example',
      'javascript:alert(1)',
      'data:text/html,x',
      'https://user:pw@shop.example',
      '//shop.example',
      '',
    ],
  },
  SupportUrl: {
    schema: SupportUrl,
    good: ['https://shop.example/help?from=till#form', 'mailto:help@shop.example', 'mailto:help+till@shop.example'],
    bad: [
      'http://shop.example/help',
      'http://localhost/help',
      'HTTPS://shop.example',
      'https://user:pw@shop.example',
      'javascript:alert(1)',
      'JavaScript:alert(1)//https://',
      'mailto:',
      'mailto:?bcc=everybody@shop.example',
      'mailto:help@shop.example?attach=/etc/passwd',
      'mailto:help@shop.example,other@shop.example',
      'mailto:help@shop.example%0ABcc:other@shop.example',
      'mailto:"><svg/onload=alert(1)>@shop.example',
      'Mailto:help@shop.example',
      'tel:+441234567890',
      'help@shop.example',
      '',
    ],
  },
  Origin: {
    schema: Origin,
    good: ['https://shop.example', 'http://localhost:4020'],
    bad: ['https://shop.example/', 'https://shop.example/a', 'HTTPS://shop.example', 'null', 'http://shop.example'],
  },
  Address: { schema: Address, good: [payer, '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin'], bad: ['', '0x 1', "0x'", 'a'.repeat(129)] },
  TxHash: { schema: TxHash, good: [`0x${'a'.repeat(64)}`, '5'.repeat(88)], bad: ['', '0x1', `0x${'a'.repeat(63)}/`, 'a'.repeat(129)] },
  Email: { schema: Email, good: ['a@b.example'], bad: ['a', 'a@b', 'a@b.example\nBcc: c@d.example', `${'a'.repeat(250)}@b.example`] },
  text: { schema: text(5, 1), good: ['a', 'é😀x', 'a\nb\tc'], bad: ['', 'abcdef', 'a\u0000', 'a\u007F', '\uD800', 5] },
}

for (const [name, { schema, good, bad }] of Object.entries(shapes)) {
  test(`behavior: ${name} accepts valid values`, () => {
    for (const text of good) expect(schema.safeParse(text), text).toMatchObject({ success: true, data: text })
  })
  test(`error: ${name} refuses invalid values`, () => {
    for (const value of bad) expect(schema.safeParse(value).success, JSON.stringify(value)).toBe(false)
  })
}

test('behavior: no text makes a scalar throw', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.webUrl(), fc.anything()), (value) => {
      for (const { schema } of Object.values(shapes)) schema.safeParse(value)
    }),
  )
})

test('property: the page reads the integers that the service writes, and no other number', () => {
  const written = z.int()
  const anything = fc.oneof(fc.maxSafeInteger(), fc.double(), fc.constantFrom(2 ** 53, -(2 ** 53), -0, 0.1, NaN, Infinity), fc.anything())
  const reads = (schema: z.ZodMiniNumber, value: unknown) => z.safeParse(schema, value).success
  fc.assert(
    fc.property(anything, (value) => {
      expect(reads(IntegerRead, value)).toBe(reads(written, value))
    }),
  )
})

test('behavior: a time is storable from the first moment of the year 1 to the last of 9999, whatever its offset', () => {
  for (const time of ['0001-01-01T00:00:00Z', '0000-12-31T23:00:00-01:00', '9999-12-31T23:59:59.999Z', '2026-02-28T12:00:00+02:00'])
    expect(StorableDateTime.safeParse(time).success, time).toBe(true)
  for (const time of ['0000-12-31T23:59:59Z', '0001-01-01T00:00:00+00:01', '9999-12-31T23:59:59-00:01', '2026-02-30T12:00:00Z', 'now'])
    expect(StorableDateTime.safeParse(time).error?.issues, time).toHaveLength(1)
})
