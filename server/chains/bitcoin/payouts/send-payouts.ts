import { backoffMs } from '../../../lib/pause.ts'
import { groupBy } from '../../../lib/group-by.ts'
import { transaction } from '../../../database/transaction.ts'
import type { BitcoinConfig } from '../bitcoin-config.ts'
import { confirmationsFor } from '../confirmations.ts'
import { orderScript } from '../order-script.ts'
import { scriptOf } from '../dust.ts'
import { feeFor, relayRate } from '../transaction-size.ts'
import { readBlockCursor } from '../../blocks/block-cursor.ts'
import { confirmationsAt } from '../../blocks/final-block.ts'
import { buildTransaction, type CannotBuild, type Coin, type Part, type Rates, type ScriptLeg } from './build-transaction.ts'
import { eachInTurn } from '../../../lib/each-in-turn.ts'
import { type Driver, reportOutcome } from './driver.ts'
import { currentRates } from './fee-rates.ts'
import {
  attemptsOf,
  coinsByName,
  freeCoins,
  insertSend,
  isChangeExpected,
  mostParts,
  nameOf,
  type OwnCoin,
  payoutsDue,
  type QueuedPayout,
  type StoredCoin,
} from './payout-queue.ts'
import { markFailed, postpone } from './payout-states.ts'

const readAtOnce = 100
/** Nodes relay transactions of at most 100,000 virtual bytes, and an input takes 68 of them. */
const mostInputs = 500
const waits = { firstMs: 1_000, longestMs: 600_000 }
/** Coins become final with blocks and not by patience. Backing off further would hold up money that is there, for example after the feed has caught up. */
const longestForCoinsMs = 30_000

/** Signs what is due. A payout that cannot be sent yet, that never can, or whose report fails, holds up no other. */
export async function sendPayouts(driver: Driver, signal: AbortSignal): Promise<void> {
  const due = await payoutsDue(driver.sql, driver.config.chainId, readAtOnce)
  if (due.length === 0) return
  const rates = await currentRates(driver, signal)
  const { prepared, others } = await prepare(driver, due)
  const sends = groupsOf(prepared).map((group) => () => sendGroup(driver, group, rates, signal))
  const waiting = others.map((without) => () => withoutCoins(driver, without, signal))
  await eachInTurn([...sends, ...waiting], (step) => step())
}

interface Prepared {
  readonly payout: QueuedPayout
  readonly part: Part
}

/** Payouts keep their order, and those of one tenant join the first of them while there is room. */
function groupsOf(prepared: readonly Prepared[]): readonly (readonly Prepared[])[] {
  const groups: Prepared[][] = []
  const open = new Map<string, Prepared[]>()
  for (const each of prepared) {
    const { tenant, id, priority } = each.payout
    const name = tenant === undefined ? id : `${priority} ${tenant}`
    const group = open.get(name)
    if (group && group.length < mostParts) {
      group.push(each)
    } else {
      const next = [each]
      groups.push(next)
      open.set(name, next)
    }
  }
  return groups
}

interface Without {
  readonly payout: QueuedPayout
  /** Undefined if one of their addresses is not one of this chain. */
  readonly legs: readonly ScriptLeg[] | undefined
  /** What its order's address has, final or not. */
  readonly coins: readonly OwnCoin[]
  readonly final: readonly OwnCoin[]
}

/** Chooses coins for each payout. What one has taken is not offered to the next. */
async function prepare(
  driver: Driver,
  due: readonly QueuedPayout[],
): Promise<{ readonly prepared: readonly Prepared[]; readonly others: readonly Without[] }> {
  const { sql, config } = driver
  const head = (await readBlockCursor(sql, config.chainId))?.block ?? 0
  const scripts = new Map(due.map(({ orderId }) => [orderId, orderScript(config.account.key, orderId, config.network)]))
  const addresses = [...new Set([...scripts.values()].map(({ address }) => address))]
  const free = groupBy(await freeCoins(sql, config.chainId, addresses), ({ address }) => address)
  const bound = await coinsByName(
    sql,
    config.chainId,
    due.flatMap(({ coins }) => coins ?? []),
  )
  const taken = new Set<string>()
  const prepared: Prepared[] = []
  const others: Without[] = []
  for (const payout of due) {
    const own = scripts.get(payout.orderId)
    const legs = scriptLegs(payout, config)
    const coins = (free.get(own?.address ?? '') ?? []).filter((coin) => !taken.has(nameOf(coin)))
    const final = coins.filter((coin) => isFinal(coin, head, config))
    const [first, ...more] = (payout.coins ? spendable(payout.coins, bound) : legs && chooseCoins(final, legs)) ?? []
    if (!own || !legs || !first) {
      others.push({ payout, legs, coins, final })
      continue
    }
    for (const coin of [first, ...more]) taken.add(nameOf(coin))
    prepared.push({ payout, part: { payoutId: payout.id, orderId: payout.orderId, script: own.script, coins: [first, ...more], legs } })
  }
  return { prepared, others }
}

/** One coin that is not there would spoil the transaction for all who share it. */
function spendable(names: readonly string[], coins: ReadonlyMap<string, StoredCoin>): readonly Coin[] | undefined {
  const found = names.flatMap((name) => coins.get(name) ?? [])
  const isThere = ({ isIncluded, spent, replaced }: StoredCoin) => isIncluded && !spent && !replaced
  return found.length === names.length && found.every(isThere) ? found : undefined
}

const isFinal = ({ height, amount, maturity }: OwnCoin, head: number, config: BitcoinConfig): boolean =>
  height !== undefined && confirmationsAt(height, head) >= Math.max(maturity, confirmationsFor(config, amount))

const sumOf = (items: readonly { readonly amount: bigint }[]): bigint => items.reduce((total, { amount }) => total + amount, 0n)
const fixedLegs = (legs: readonly ScriptLeg[]): bigint => sumOf(legs.filter(({ paysNetwork }) => !paysNetwork))

/** Takes the largest coins first, so that dust that strangers have sent costs nothing. The leg for the network may be slightly short. */
function chooseCoins(coins: readonly OwnCoin[], legs: readonly ScriptLeg[]): readonly Coin[] | undefined {
  const chosen: OwnCoin[] = []
  for (const coin of coins) {
    if (sumOf(chosen) >= sumOf(legs)) break
    chosen.push(coin)
  }
  return sumOf(chosen) > fixedLegs(legs) && chosen.length <= mostInputs ? chosen : undefined
}

/** Waits for coins that are not final yet, that have not been read yet, or that another payout of the order is about to return. */
async function withoutCoins(driver: Driver, { payout, legs, coins, final }: Without, signal: AbortSignal): Promise<void> {
  const { sql, config, source } = driver
  if (!legs) return fail(driver, payout, 'reverts', 'One of its addresses is not one of this chain.')
  const needed = fixedLegs(legs)
  const isWorthWaiting = async () =>
    payout.coins !== undefined ||
    sumOf(coins) > needed ||
    (await isChangeExpected(sql, payout)) ||
    ((await readBlockCursor(sql, config.chainId))?.block ?? 0) < (await source.head(signal)).number
  if (payout.coins === undefined && sumOf(final) > needed)
    return fail(driver, payout, 'gas', `More than ${mostInputs} coins would have to be spent, which no transaction can.`)
  if (await isWorthWaiting())
    return delay(driver, payout, `The coins at its address are not final or not enough yet (${sumOf(coins)}). Retrying.`, {
      firstMs: config.pollMs,
      longestMs: longestForCoinsMs,
    })
  await fail(driver, payout, 'reverts', `The deposit address has ${sumOf(coins)} satoshis, and ${needed} are needed.`)
}

const delay = ({ sql }: Driver, payout: QueuedPayout, problem: string, wait = waits): Promise<void> =>
  postpone(sql, payout, backoffMs(payout.failures, wait), problem)

const fail = (driver: Driver, payout: QueuedPayout, cause: 'reverts' | 'gas', reason: string): Promise<void> =>
  reportOutcome(driver, payout, { state: 'failed', reason, cause }, (tx) => markFailed(tx, payout, reason))

function scriptLegs({ legs }: QueuedPayout, { network }: BitcoinConfig): readonly ScriptLeg[] | undefined {
  const read: ScriptLeg[] = []
  for (const { to, amount, paysNetwork = false } of legs) {
    const script = scriptOf(to, network)
    if (!script) return undefined
    read.push({ script, amount, paysNetwork })
  }
  return read
}

async function sendGroup(driver: Driver, group: readonly Prepared[], rates: Rates, signal: AbortSignal): Promise<void> {
  if (rates.least > driver.config.feeRates.most)
    return eachInTurn(group, ({ payout }) =>
      delay(driver, payout, 'Nodes relay nothing for the highest fee rate that is allowed. Retrying.'),
    )
  const parts = group.map(({ part }) => part)
  const leastFee = await feeToReplace(driver, group)
  const replacement = leastFee > 0n ? buildTransaction(parts, rates, leastFee) : undefined
  const built = !replacement || 'why' in replacement ? buildTransaction(parts, rates) : replacement
  if ('why' in built) {
    // Alone, each has its own reason or none.
    if (group.length > 1) return eachInTurn(group, (alone) => sendGroup(driver, [alone], rates, signal))
    const [alone] = group
    if (alone) await cannotSend(driver, alone, built, rates)
    return
  }
  try {
    const { sql, config, signer } = driver
    const signed = await signer.sign(built.unsigned, built.orderIds, signal)
    const coins = new Map(group.map(({ payout, part }) => [payout.id, part.coins.map(nameOf)]))
    const stored = { txid: signed.id, raw: signed.hex, fee: built.fee, vsize: built.vsize, shares: built.shares }
    await transaction(sql, async (tx) => {
      if (!(await insertSend(tx, config.chainId, coins, stored))) throw new TakenMeanwhile()
    })
  } catch (error) {
    if (error instanceof TakenMeanwhile) return
    signal.throwIfAborted()
    driver.onProblem(error)
    for (const { payout } of group) await delay(driver, payout, error instanceof Error ? error.message : String(error))
  }
}

/**
 * What was signed before for a payout may still wait in mempools, because one of its payments does. They relay another transaction with the same coins
 * only if it pays more (BIP 125).
 */
async function feeToReplace({ sql, config }: Driver, group: readonly Prepared[]): Promise<bigint> {
  const bound = group.filter(({ payout }) => payout.coins !== undefined).map(({ payout }) => payout.id)
  if (bound.length === 0) return 0n
  const before = await attemptsOf(sql, config.chainId, bound)
  return before.reduce((most, { fee, vsize }) => {
    const needed = fee + feeFor(vsize, relayRate)
    return needed > most ? needed : most
  }, 0n)
}

/** Another process was faster. The database transaction is rolled back, and its payouts are read again. */
class TakenMeanwhile extends Error {}

async function cannotSend(driver: Driver, { payout, part }: Prepared, problem: CannotBuild, rates: Rates): Promise<void> {
  if (problem.why === 'dust') return fail(driver, payout, 'reverts', `${problem.amount} satoshis are too few to be sent.`)
  // Full mempools raise the least rate for a while, so what is available may suffice later. At the usual rate it never will.
  const cheapest = buildTransaction([part], { wanted: relayRate, least: relayRate })
  if (rates.least > relayRate && !('why' in cheapest))
    return delay(
      driver,
      payout,
      `The network's fee is ${problem.needed} satoshis now, and ${problem.available} are there for it. Retrying.`,
    )
  await fail(driver, payout, 'gas', `The network's fee would be ${problem.needed} satoshis, and ${problem.available} are there for it.`)
}
