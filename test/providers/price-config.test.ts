import { expect, test } from 'vitest'
import { priceConfig } from '../../server/providers/price-sources/price-config.ts'

function read(env: Record<string, string>, hasChains = true) {
  const mistakes: string[] = []
  return { config: priceConfig({ env, serviceUrl: env.PRICES_URL, hasChains, mistakes }), mistakes }
}

test('default: with nothing configured the exchanges and the feeds on chain have to agree', () => {
  expect(read({})).toEqual({
    config: { sources: ['kraken', 'coinbase', 'bitso', 'chainlink'], serviceUrl: undefined, isSingle: false },
    mistakes: [],
  })
  expect(read({}, false).config.sources).toEqual(['kraken', 'coinbase', 'bitso'])
})

test("behavior: the operator's own service may be one of several, or the only one if that is said", () => {
  const url = 'https://prices.example'
  expect(read({ PRICES_URL: url, PRICE_SOURCES: 'service, kraken' })).toEqual({
    config: { sources: ['service', 'kraken'], serviceUrl: url, isSingle: false },
    mistakes: [],
  })
  expect(read({ PRICES_URL: url, PRICES_SINGLE_SOURCE: 'true' })).toEqual({
    config: { sources: ['service'], serviceUrl: url, isSingle: true },
    mistakes: [],
  })
})

test.each([
  ['a single source', { PRICES_URL: 'https://prices.example' }, /PRICES_SINGLE_SOURCE must be true, because service/],
  ['an unknown source', { PRICE_SOURCES: 'kraken,oracle' }, /"oracle"; there are kraken, coinbase, bitso, chainlink, service/],
  ['a service without its address', { PRICE_SOURCES: 'service,kraken' }, /PRICES_URL is missing/],
  ['a service that is not asked', { PRICES_URL: 'https://prices.example', PRICE_SOURCES: 'kraken,coinbase' }, /PRICES_URL is not used/],
  ['feeds alone', { PRICE_SOURCES: 'chainlink', PRICES_SINGLE_SOURCE: 'true' }, /another source than chainlink/],
  ['a single source that is several', { PRICES_SINGLE_SOURCE: 'true' }, /names more than one/],
  ['another word than true', { PRICES_SINGLE_SOURCE: 'yes' }, /must be true or absent/],
])('error: %s is refused by name', (_, env, message) => expect(read(env).mistakes.join('\n')).toMatch(message))

test('error: a guard elsewhere has no chains to read feeds from', () => {
  expect(read({ PRICE_SOURCES: 'kraken,chainlink' }, false).mistakes).toEqual([
    'PRICE_SOURCES holds "chainlink"; there are kraken, coinbase, bitso, service.',
    expect.stringMatching(/only source of prices/),
  ])
})
