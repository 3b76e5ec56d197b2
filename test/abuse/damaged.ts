import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { hostile, jsonOf, places } from '../support/client/hostile.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const nested = (depth: number, open: string, close: string): string => open.repeat(depth) + close.repeat(depth)

/** These member names and texts have broken parsers before. */
const surprises: readonly string[] = [
  '{"__proto__":{"mode":"SALE","amount":"1"},"constructor":{"prototype":{"x":1}}}',
  '{"a":1,"a":2,"a":{"a":3}}',
  '1e400',
  '-0',
  '1E-999999999',
  '9'.repeat(10_000),
  '"\\ud800"',
  '"\\u0000"',
  '"\u202e\u200b\u2066\ufeff"',
  nested(20_000, '[', ']'),
  nested(10_000, '{"a":', '}').replace(/:}/, ':1}'),
  `{"${'k'.repeat(60_000)}":1}`,
  `{${Array.from({ length: 4_000 }, (_, index) => `"k${index}":1`).join()}}`,
  '',
  '\0',
]

/** No endpoint decompresses a body: whatever its Content-Encoding says, this is not JSON. */
const bomb = new Uint8Array(gzipSync(Buffer.alloc(20_000_000)))

/** Generates bodies as bytes: the valid one, one with a replaced value, one cut off or bit-flipped, and arbitrary bytes. */
export function damaged(value: fc.Arbitrary<unknown>, whole: unknown): fc.Arbitrary<Uint8Array> {
  const spots = places(whole)
  const json = value.map((member) => JSON.stringify(member) ?? 'null')
  const mutated = fc
    .tuple(fc.nat(), fc.oneof(fc.constantFrom(...hostile.map(([, value]) => value)), fc.jsonValue({ maxDepth: 4 })))
    .map(([at, put]) => jsonOf(spots.length === 0 ? put : spots[at % spots.length]!.with(put)))
  const text = fc.oneof({ weight: 3, arbitrary: json }, { weight: 4, arbitrary: mutated }, { weight: 1, arbitrary: fc.json() })
  return fc.oneof(
    { weight: 8, arbitrary: text.map(bytes) },
    { weight: 1, arbitrary: fc.tuple(text, fc.nat(2_000)).map(([given, at]) => bytes(given.slice(0, at % (given.length + 1)))) },
    {
      weight: 1,
      arbitrary: fc.tuple(text, fc.nat(), fc.nat(255)).map(([given, at, byte]) => {
        const flipped = bytes(given)
        if (flipped.length > 0) flipped[at % flipped.length] = byte
        return flipped
      }),
    },
    { weight: 1, arbitrary: fc.constantFrom(...surprises).map(bytes) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 300 }) },
    { weight: 1, arbitrary: fc.constant(bomb) },
  )
}
