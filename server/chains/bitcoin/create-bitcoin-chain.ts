import { codecs } from '../../../src/wire/addresses/codecs.ts'
import type { ConfiguredChain } from '../chain.ts'
import type { Gate } from '../gate.ts'
import type { BitcoinConfig } from './bitcoin-config.ts'
import { bitcoinCost, plannedFee } from './costs.ts'
import { bitcoinDeposits } from './order-script.ts'
import { dustOf, scriptOf } from './dust.ts'
import { bitcoinFeed } from './feed.ts'
import { currentRates } from './payouts/fee-rates.ts'
import { bitcoinPayouts } from './payouts/bitcoin-payouts.ts'
import { bitcoinSources } from './sources.ts'

/** No output to an address of any kind that is in use has to be larger than this. */
const largestDust = 546n

export function createBitcoinChain(config: BitcoinConfig, gate?: Gate): ConfiguredChain {
  const { chainId, network, tokens, account } = config
  const { source: unchecked, compareNodes } = bitcoinSources(config)
  const source = gate?.behind(unchecked) ?? unchecked
  const { balance } = source
  return {
    id: chainId,
    tokens,
    addresses: codecs.bitcoin.addressesOn(network),
    deposits: bitcoinDeposits(account.key, network),
    feed: bitcoinFeed(config, source),
    payouts: bitcoinPayouts({ config, source, ...(compareNodes && { compareNodes }) }),
    ...(balance && {
      holdings: async (address, signal, wanted = tokens) => {
        const amount = await balance(address, signal)
        return wanted.map((token) => ({ token, amount }))
      },
    }),
    feeRate: async (signal) => (await currentRates({ config, source }, signal)).wanted,
    cost: (what, _, rate) => bitcoinCost(what, rate),
    plannedFee: (rate, transfers) => plannedFee(rate ?? config.feeRates.fallback, transfers),
    // Transactions pay for themselves, so no operator's budget is used up.
    settlementGas: () => 0n,
    leastLeg: (_, to) => {
      const script = scriptOf(to, network)
      return script ? dustOf(script) : largestDust
    },
    check: unchecked.check,
  }
}
