import { orderScript } from '../order-script.ts'
import { scriptOf } from '../dust.ts'
import { feeFor, relayRate } from '../transaction-size.ts'
import { buildTransaction, type Part } from './build-transaction.ts'
import type { Driver } from './driver.ts'
import { currentRates } from './fee-rates.ts'
import { type Attempt, type BoundPayout, insertAttempt, type StoredCoin } from './payout-queue.ts'

/** A replacement pays at least a quarter more, so that few are needed. */
const increase = { numerator: 5n, denominator: 4n }

interface Stuck {
  readonly last: Attempt
  readonly payouts: readonly BoundPayout[]
  readonly coins: ReadonlyMap<string, StoredCoin>
}

/**
 * Signs a transaction again with a higher fee when it has been in no block for too long. It spends the same coins and pays the same amounts,
 * except that the legs for the network pay more, as far as they can.
 */
export async function replaceSend(driver: Driver, { last, payouts, coins }: Stuck, signal: AbortSignal): Promise<void> {
  const { sql, config, signer } = driver
  if (last.ageMs < config.replaceAfterMs) return
  const rates = await currentRates(driver, signal)
  const raised = raisedRate(last)
  const wanted = raised > rates.wanted ? raised : rates.wanted
  const limited = wanted > config.feeRates.most ? config.feeRates.most : wanted
  // Nodes relay a replacement only if it also pays for its own relaying (BIP 125).
  const leastFee = last.fee + feeFor(last.vsize, relayRate)
  const built = buildTransaction(partsOf(driver, payouts, coins), { wanted: limited, least: rates.least }, leastFee)
  if ('why' in built || built.fee * 1000n > built.vsize * config.feeRates.most) return
  const { id: txid, hex: raw } = await signer.sign(built.unsigned, built.orderIds, signal)
  await insertAttempt(sql, config.chainId, last.sendId, { txid, raw, fee: built.fee, vsize: built.vsize, shares: built.shares })
}

const raisedRate = ({ fee, vsize }: Attempt): bigint => (fee * 1000n * increase.numerator) / (vsize * increase.denominator)

const partsOf = ({ config }: Driver, payouts: readonly BoundPayout[], coins: ReadonlyMap<string, StoredCoin>): readonly Part[] =>
  payouts.flatMap(({ id, orderId, coins: names, legs }) => {
    const [first, ...others] = names.flatMap((name) => coins.get(name) ?? [])
    const { script } = orderScript(config.account.key, orderId, config.network)
    const read = legs.flatMap(({ to, amount, paysNetwork = false }) => {
      const leg = scriptOf(to, config.network)
      return leg ? [{ script: leg, amount, paysNetwork }] : []
    })
    return first ? [{ payoutId: id, orderId, script, coins: [first, ...others], legs: read }] : []
  })
