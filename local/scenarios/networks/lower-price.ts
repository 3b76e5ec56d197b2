import { formatUnits, parseUnits } from '../../../src/wire/money.ts'
import { createMutex } from '../../chains/mutex.ts'
import type { LocalPrices } from '../../prices.ts'
import { CannotPlay } from '../cannot-play.ts'
import type { Network } from './network.ts'

const decimals = 18

/** The coin costs 5 % less while a callback runs. Callbacks run one at a time, so that the price is restored in the end. */
export function lowerPrice(prices: LocalPrices, { id, name }: { readonly id: string; readonly name: string }): Network['withLowerPrice'] {
  const inTurn = createMutex()
  return (run) =>
    inTurn(async () => {
      const price = await prices.get(id)
      const usd = price && parseUnits(price.usd, decimals)
      if (!price || usd === undefined) throw new CannotPlay(`${name} has no decimal price here.`)
      await prices.set(id, formatUnits((usd * 95n) / 100n, decimals))
      try {
        await run()
      } finally {
        await prices.set(id, price.usd)
      }
    })
}
