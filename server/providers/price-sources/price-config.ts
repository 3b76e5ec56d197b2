import { type PriceSourceName, priceSourceNames } from './price-source.ts'

/** Where prices come from: PRICE_SOURCES, PRICES_URL and PRICES_SINGLE_SOURCE of the environment. */
export interface PriceConfig {
  readonly sources: readonly PriceSourceName[]
  /** The operator's own service, which `service` stands for. */
  readonly serviceUrl: string | undefined
  /** There is one source, and the operator has said that one is enough. */
  readonly isSingle: boolean
}

export interface PriceConfigParts {
  readonly env: Readonly<Record<string, string | undefined>>
  /** PRICES_URL, which has been checked. */
  readonly serviceUrl: string | undefined
  /** Only a process with chains can read what is published on them. */
  readonly hasChains: boolean
  readonly mistakes: string[]
}

/** Without PRICE_SOURCES a service of the operator's own is the only source, and without that all others are asked. */
export function priceConfig({ env, serviceUrl, hasChains, mistakes }: PriceConfigParts): PriceConfig {
  const possible = priceSourceNames.filter((name) => name !== 'chainlink' || hasChains)
  const names = env.PRICE_SOURCES
    ? env.PRICE_SOURCES.split(',').map((name) => name.trim())
    : env.PRICES_URL
      ? ['service']
      : possible.filter((name) => name !== 'service')
  const isPossible = (name: string): name is PriceSourceName => possible.some((known) => known === name)
  for (const name of names)
    if (!isPossible(name)) mistakes.push(`PRICE_SOURCES holds ${JSON.stringify(name)}; there are ${possible.join(', ')}.`)
  const sources = [...new Set(names.filter(isPossible))]
  const hasService = sources.includes('service')
  if (hasService && !env.PRICES_URL) mistakes.push('PRICES_URL is missing: it is needed because PRICE_SOURCES names service.')
  if (!hasService && env.PRICES_URL) mistakes.push('PRICES_URL is not used: PRICE_SOURCES has to name service.')
  const isSingle = env.PRICES_SINGLE_SOURCE === 'true'
  if (env.PRICES_SINGLE_SOURCE && !isSingle)
    mistakes.push(`PRICES_SINGLE_SOURCE must be true or absent, and is ${JSON.stringify(env.PRICES_SINGLE_SOURCE)}.`)
  if (sources.length === 1 && !isSingle)
    mistakes.push(
      `PRICES_SINGLE_SOURCE must be true, because ${sources[0]} is the only source of prices. Otherwise two have to agree: name more in PRICE_SOURCES.`,
    )
  if (sources.length > 1 && isSingle) mistakes.push('PRICES_SINGLE_SOURCE is true, and PRICE_SOURCES names more than one.')
  if (sources.length === 1 && sources[0] === 'chainlink')
    mistakes.push('PRICE_SOURCES must name another source than chainlink: a feed may be a day old, so it only confirms what others say.')
  return { sources, serviceUrl, isSingle }
}
