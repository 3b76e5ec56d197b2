import { FiatCurrency } from '../../../src/wire/currency.ts'
import type { Chain } from '../../chains/chain.ts'
import { bitso } from './bitso.ts'
import { chainFeeds } from './chain-feeds.ts'
import { coinbase } from './coinbase.ts'
import { kraken } from './kraken.ts'
import type { PriceConfig } from './price-config.ts'
import { priceService } from './price-service.ts'
import type { PriceSource, PriceSourceName } from './price-source.ts'

export interface PriceSourcesParts {
  readonly config: PriceConfig
  readonly ids: readonly string[]
  readonly chains: () => Iterable<Pick<Chain, 'priceFeeds'>>
  readonly elapsed: () => number
}

export function createPriceSources({ config, ids, chains, elapsed }: PriceSourcesParts): readonly PriceSource[] {
  const asked = [...new Set([...ids.map((id) => id.toLowerCase()), ...FiatCurrency.options])]
  const create: Readonly<Record<PriceSourceName, () => PriceSource>> = {
    kraken: () => kraken({ ids: asked, elapsed }),
    coinbase: () => coinbase({ elapsed }),
    bitso: () => bitso({ elapsed }),
    chainlink: () => chainFeeds({ chains, elapsed }),
    service: () => priceService({ url: config.serviceUrl ?? '', elapsed }),
  }
  return config.sources.map((name) => create[name]())
}
