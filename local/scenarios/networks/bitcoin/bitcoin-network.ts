import { formatUnits, parseUnits } from '../../../../src/wire/money.ts'
import type { LocalBitcoin } from '../../../bitcoin/start-local-bitcoin.ts'
import { createMutex } from '../../../chains/mutex.ts'
import type { LocalPrices } from '../../../prices.ts'
import { CannotPlay } from '../../cannot-play.ts'
import type { Network } from '../network.ts'
import { blocksByHand } from './blocks-by-hand.ts'
import { createPayer } from './create-payer.ts'

const coin = 'btc'

export function bitcoinNetwork(bitcoin: LocalBitcoin, prices: LocalPrices): Network {
  const { config, faucet, mutex } = bitcoin
  const inTurn = createMutex()
  return {
    chainId: config.chainId,
    family: 'bitcoin',
    tokens: config.tokens,
    mine: (blocks) => mutex(async () => void (await faucet.mine(blocks))),
    payerWith: ({ raw }) => createPayer(bitcoin, raw),
    byHand: (run) => blocksByHand(bitcoin, run),
    withLowerPrice: (run) =>
      inTurn(async () => {
        const price = await prices.get(coin)
        if (!price) throw new CannotPlay('Bitcoin has no price here.')
        await prices.set(coin, ninetyFivePercent(price.usd))
        try {
          await run()
        } finally {
          await prices.set(coin, price.usd)
        }
      }),
  }
}

const decimals = 18

function ninetyFivePercent(usd: string): string {
  const price = parseUnits(usd, decimals)
  if (price === undefined) throw new CannotPlay(`Bitcoin has no decimal price here: ${usd}`)
  return formatUnits((price * 95n) / 100n, decimals)
}
