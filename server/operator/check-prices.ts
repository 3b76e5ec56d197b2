import { FiatCurrency } from '../../src/wire/currency.ts'
import { createChain } from '../chains/create-chain.ts'
import { agreed, askSources } from '../providers/price-sources/agreed-prices.ts'
import type { SourceAnswer } from '../providers/prices.ts'
import { createPriceSources } from '../providers/price-sources/create-price-sources.ts'
import { priceConfig } from '../providers/price-sources/price-config.ts'
import { type Command, configuredChains, UsageError } from './command.ts'

/** Asks every source once and shows what each says. It only reads. */
export const checkPrices: Command = {
  usage: `check-prices
  Asks each source of prices (PRICE_SOURCES, PRICES_URL) for every token of TILL_CHAINS and every fiat unit, and prints what it says, how
  old that is, and the price that the service would use. It fails if the service would use none.`,
  async run(_, env, say) {
    const mistakes: string[] = []
    const config = priceConfig({ env, serviceUrl: env.PRICES_URL, hasChains: true, mistakes })
    if (mistakes.length > 0) throw new UsageError(mistakes.join('\n'))
    const configs = configuredChains(env)
    const chains = configs.map((chain) => createChain(chain))
    const tokens = configs.flatMap(({ tokens }) => tokens.map(({ priceId }) => priceId.toLowerCase()))
    const ids = [...new Set([...tokens, ...FiatCurrency.options.filter((unit) => unit !== 'usd')])]
    const sources = createPriceSources({ config, ids, chains: () => chains, elapsed: () => performance.now() })
    const missing: string[] = []
    for (const id of ids) {
      const answers = await askSources({ sources, clock: Date.now }, id)
      const price = agreed(answers, config.isSingle)
      if (!price) missing.push(id)
      say(
        `${id.padEnd(6)} ${shorten(price?.usd ?? 'none').padEnd(14)} ${answers.map((answer) => described(answer, Date.now())).join(' · ')}`,
      )
    }
    if (missing.length > 0) throw new Error(`There is no price for ${missing.join(', ')}: quotes in it are refused.`)
  },
}

function described({ source, price, problem }: SourceAnswer, now: number): string {
  if (!price) return problem === 'unreachable' ? `${source} does not answer` : `${source} does not have it`
  const age = `${Math.round((now - price.asOf) / 1000)} s old`
  return `${source} ${shorten(price.usd)} (${age}${problem === undefined ? '' : `, ${problem}`})`
}

/** A price that was divided has 36 decimals, of which nobody reads more than eight digits. */
function shorten(usd: string): string {
  const [whole = '', fraction = ''] = usd.split('.')
  const zeros = /^0*/.exec(fraction)?.[0].length ?? 0
  const kept = fraction.slice(0, whole === '0' ? zeros + 8 : 8).replace(/0+$/, '')
  return kept === '' ? whole : `${whole}.${kept}`
}
