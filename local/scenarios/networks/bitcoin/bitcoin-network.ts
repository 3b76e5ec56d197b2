import type { LocalBitcoin } from '../../../bitcoin/start-local-bitcoin.ts'
import type { LocalPrices } from '../../../prices.ts'
import { lowerPrice } from '../lower-price.ts'
import type { Network } from '../network.ts'
import { blocksByHand } from './blocks-by-hand.ts'
import { createPayer } from './create-payer.ts'

export function bitcoinNetwork(bitcoin: LocalBitcoin, prices: LocalPrices): Network {
  const { config, faucet, mutex } = bitcoin
  return {
    chainId: config.chainId,
    family: 'bitcoin',
    tokens: config.tokens,
    mine: (blocks) => mutex(async () => void (await faucet.mine(blocks))),
    payerWith: ({ raw }) => createPayer(bitcoin, raw),
    byHand: (run) => blocksByHand(bitcoin, run),
    withLowerPrice: lowerPrice(prices, { id: 'btc', name: 'Bitcoin' }),
  }
}
