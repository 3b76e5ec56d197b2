/** These values have broken services before. */
export const hostile: readonly (readonly [name: string, value: unknown])[] = [
  ['null', null],
  ['true', true],
  ['a number', 12],
  ['a negative number', -1],
  ['a fraction', 0.1],
  ['a huge number', 1e308],
  ['more than a double holds', 9007199254740993n],
  ['a list', []],
  ['a list of lists', [[[]]]],
  ['an object', {}],
  ['an object of objects', { a: { b: { c: 1 } } }],
  ['a prototype', JSON.parse('{"__proto__":{"isAdmin":true},"constructor":{"prototype":{}}}')],
  ['a bigint in disguise', { '~': '123' }],
  ['empty text', ''],
  ['a space', ' '],
  ['long text', 'x'.repeat(5_000)],
  ['exponent notation', '1e3'],
  ['a negative amount', '-1'],
  ['a signed amount', '+1'],
  ['hexadecimal', '0x10'],
  ['a thousands separator', '1,000'],
  ['a leading zero', '01'],
  ['a trailing point', '1.'],
  ['a leading point', '.5'],
  ['two points', '1.2.3'],
  ['80 digits', '9'.repeat(80)],
  ['not a number', 'NaN'],
  ['infinity', 'Infinity'],
  ['Arabic digits', '١٢'],
  ['full-width digits', '１２'],
  ['SQL', "'; drop table orders; --"],
  ['SQL in a number', '1 or 1=1'],
  ['a template', '${7*7}{{7*7}}'],
  ['markup', '<script>alert(1)</script>'],
  ['a path', '../../etc/passwd'],
  ['NUL', 'a\u0000b'],
  ['control characters', 'a\u0007\u001b[31m'],
  ['a lone surrogate', 'a\ud800b'],
  ['an emoji', '👩‍👩‍👧‍👦'],
  ['right to left', '\u202eabc'],
  ['combining marks', 'e' + '\u0301'.repeat(100)],
  ['a byte order mark', '\ufeffusd'],
  ['another case', 'Usd'],
  ['an https address with NUL', 'https://shop.example/\u0000'],
  ['an https address with a lone surrogate', 'https://shop.example/\udc00'],
  ['an https address with a password', 'https://user:pass@shop.example/'],
  ['a javascript address', 'javascript:alert(1)'],
  ['a file address', 'file:///etc/passwd'],
]

/** Serialises a value as JSON and keeps integers of any size exact. */
export const jsonOf = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'bigint' ? `\u0001${inner}\u0001` : inner)).replace(
    /"\\u0001(-?\d+)\\u0001"/g,
    '$1',
  )

type Json = Record<string, unknown> | unknown[]
const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null

/** Lists every path inside a value, with copies of the whole that replace or omit that part. */
export function places(
  whole: unknown,
  path: readonly string[] = [],
): readonly { readonly path: readonly string[]; with(value: unknown): unknown; without(): unknown }[] {
  if (!isJson(whole)) return []
  return Object.keys(whole).flatMap((key) => {
    const inside: unknown = (whole as Record<string, unknown>)[key]
    const put = (value: unknown): unknown =>
      Array.isArray(whole) ? whole.map((element: unknown, index) => (String(index) === key ? value : element)) : { ...whole, [key]: value }
    const own = {
      path: [...path, key],
      with: put,
      without: () =>
        Array.isArray(whole)
          ? whole.filter((_, index) => String(index) !== key)
          : Object.fromEntries(Object.entries(whole).filter(([name]) => name !== key)),
    }
    const deeper = places(inside, own.path).map((inner) => ({
      path: inner.path,
      with: (value: unknown) => put(inner.with(value)),
      without: () => put(inner.without()),
    }))
    return [own, ...deeper]
  })
}
