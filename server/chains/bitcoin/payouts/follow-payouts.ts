import { readBlockCursor } from '../../blocks/block-cursor.ts'
import { confirmationsAt } from '../../blocks/final-block.ts'
import { groupBy } from '../../../lib/group-by.ts'
import { confirmationsFor } from '../confirmations.ts'
import { orderScript } from '../order-script.ts'
import { dustOf } from '../dust.ts'
import { announce } from './announce.ts'
import { broadcastSend } from './broadcast-send.ts'
import { eachInTurn } from '../../../lib/each-in-turn.ts'
import { type Driver, includedOf, reportOutcome } from './driver.ts'
import { type Attempt, attemptsOf, type BoundPayout, boundPayouts, coinsByName, type Inclusion, type StoredCoin } from './payout-queue.ts'
import { markConfirmed, markFailed, markMined, markUnmined, noteGone, requeue } from './payout-states.ts'
import { replaceSend } from './replace-send.ts'

/**
 * What becomes of a payout shows in the coins that it spends, which the feed records for every block. Each payout is reported in transactions
 * of its own, and what was interrupted is repeated, so one whose report fails holds up no other.
 */
export async function followPayouts(driver: Driver, signal: AbortSignal): Promise<void> {
  const { sql, config, agreed } = driver
  const payouts = await boundPayouts(sql, config.chainId)
  if (payouts.length === 0) return
  const head = (await readBlockCursor(sql, config.chainId))?.block ?? 0
  const coins = await coinsByName(
    sql,
    config.chainId,
    payouts.flatMap((payout) => payout.coins),
  )
  const attempts = await attemptsOf(
    sql,
    config.chainId,
    payouts.map(({ id }) => id),
  )
  const states: readonly Followed[] = payouts.map((payout) => ({ payout, fate: fateOf(payout, attempts, coins) }))
  const final = states.flatMap(({ payout, fate }) => ('at' in fate && isFinal(driver, payout, fate, head) ? [fate.at] : []))
  const certain = agreed ? await agreed(final.map(includedOf), signal) : new Set(final.map(({ txid }) => txid))
  const isCertain = ({ fate }: Followed) => 'at' in fate && final.includes(fate.at) && certain.has(fate.at.txid)
  await eachInTurn(
    [
      () => eachInTurn(states, (state) => followPayout(driver, state, { coins, head, isCertain: isCertain(state) })),
      () => followSends(driver, { states, attempts, coins, head, isCertain }, signal),
    ],
    (step) => step(),
  )
}

interface Followed {
  readonly payout: BoundPayout
  readonly fate: Fate
}

type Fate =
  | { readonly is: 'mined'; readonly at: Inclusion; readonly attempt: Attempt }
  /** Somebody else has spent a coin of it, or the payment never was or is no longer part of the chain. */
  | { readonly is: 'moved' | 'not_paid'; readonly at: Inclusion }
  /** A coin of it waits for a block. It may be included at any time. */
  | { readonly is: 'missing' }
  | { readonly is: 'ready' }

function fateOf({ id, coins: names }: BoundPayout, attempts: readonly Attempt[], coins: ReadonlyMap<string, StoredCoin>): Fate {
  const own = names.map((name) => coins.get(name))
  for (const coin of own) {
    const attempt = attempts.find(({ txid, shares }) => txid === coin?.spent?.txid && shares.some(({ payoutId }) => payoutId === id))
    if (coin?.spent && attempt) return { is: 'mined', at: coin.spent, attempt }
  }
  for (const coin of own) {
    if (coin?.spent) return { is: 'moved', at: coin.spent }
    if (coin?.replaced) return { is: 'not_paid', at: coin.replaced }
  }
  return own.every((coin) => coin?.isIncluded) ? { is: 'ready' } : { is: 'missing' }
}

/** What makes a payout fail for good needs as many confirmations as the largest payment. */
function isFinal({ config }: Driver, { legs }: BoundPayout, fate: Extract<Fate, { at: Inclusion }>, head: number): boolean {
  const needed =
    fate.is === 'mined'
      ? confirmationsFor(
          config,
          legs.reduce((total, { amount }) => total + amount, 0n),
        )
      : Math.max(...config.confirmations.map(({ blocks }) => blocks))
  return confirmationsAt(fate.at.height, head) >= needed
}

const reasons = {
  moved: 'Somebody else has moved the money from the deposit address.',
  not_paid: 'Another transaction has replaced the payment that it would pass on.',
} as const

interface Known {
  readonly coins: ReadonlyMap<string, StoredCoin>
  readonly head: number
  /** Its fate has all the confirmations that it needs, and the nodes agree on it. */
  readonly isCertain: boolean
}

async function followPayout(driver: Driver, { payout, fate }: Followed, known: Known): Promise<void> {
  const { isCertain, head } = known
  if (fate.is === 'mined') return mined(driver, payout, fate, known)
  const { mined: before } = payout
  if (before) await reportOutcome(driver, payout, { state: 'unmined', txHash: before.txid }, (tx) => markUnmined(tx, payout))
  const since = fate.is === 'ready' ? undefined : (payout.goneSince ?? head)
  if (since !== payout.goneSince) await noteGone(driver.sql, payout, since)
  if ((fate.is === 'moved' || fate.is === 'not_paid') && isCertain) {
    const reason = reasons[fate.is]
    await reportOutcome(driver, payout, { state: 'failed', reason, cause: 'reverts' }, (tx) => markFailed(tx, payout, reason))
  }
}

/** The change of a payout returns to the address of its coins unless it is dust, and then nothing of them is left there. */
function dustOfPayout({ config }: Driver, { orderId, coins: names, legs }: BoundPayout, coins: ReadonlyMap<string, StoredCoin>): bigint {
  const spent = names.reduce((total, name) => total + (coins.get(name)?.amount ?? 0n), 0n)
  const left = legs.reduce((rest, { amount }) => rest - amount, spent)
  return left < dustOf(orderScript(config.account.key, orderId, config.network).script) ? left : 0n
}

async function mined(
  driver: Driver,
  payout: BoundPayout,
  { at, attempt }: Extract<Fate, { is: 'mined' }>,
  { isCertain, coins }: Known,
): Promise<void> {
  const { txid, height } = at
  await announce(driver, payout, txid)
  if (payout.mined?.hash !== at.hash)
    await reportOutcome(driver, payout, { state: 'mined', txHash: txid, ok: true }, (tx) => markMined(tx, payout, attempt.sendId, at))
  const share = attempt.shares.find(({ payoutId }) => payoutId === payout.id)
  if (!isCertain || !share) return
  const paid = payout.legs.map(() => true)
  const gasUsed = attempt.vsize / BigInt(attempt.shares.length)
  const dust = dustOfPayout(driver, payout, coins)
  const outcome = {
    state: 'confirmed',
    txHash: txid,
    position: height,
    paid,
    fee: share.fee,
    gasUsed,
    ...(dust !== 0n && { dust }),
    networkFee: share.fee,
  } as const
  await reportOutcome(driver, payout, outcome, (tx) => markConfirmed(tx, payout, at))
  driver.broadcastAt.delete(txid)
}

interface Sends {
  readonly states: readonly Followed[]
  readonly attempts: readonly Attempt[]
  readonly coins: ReadonlyMap<string, StoredCoin>
  readonly head: number
  readonly isCertain: (state: Followed) => boolean
}

/** A send waits this many blocks for a payment that a reorganisation has removed, since the next block usually includes it again. */
const patience = 2

/**
 * A send is broadcast, and replaced when it is stuck, while every coin of it is there. If one is missing for longer, or is spent otherwise, the others
 * must not wait for it: they get a transaction without it, and whichever is mined first excludes the other.
 */
async function followSends(driver: Driver, { states, attempts, coins, head, isCertain }: Sends, signal: AbortSignal): Promise<void> {
  const byId = new Map(states.map((state) => [state.payout.id, state]))
  const open = states.filter(({ payout, fate }) => payout.state === 'sent' && fate.is !== 'mined')
  await eachInTurn([...groupBy(open, ({ payout }) => payout.sendId ?? 0).entries()], async ([sendId, members]) => {
    const latest = attempts.findLast((attempt) => attempt.sendId === sendId)
    if (!latest) return
    const named = latest.shares.map(({ payoutId }) => byId.get(payoutId))
    const isWhole = named.every((state) => state?.fate.is === 'ready' && state.payout.sendId === sendId && state.payout.state === 'sent')
    const payouts = members.map(({ payout }) => payout)
    if (isWhole) {
      await broadcastSend(driver, latest, payouts, signal)
      return replaceSend(driver, { last: latest, payouts, coins }, signal)
    }
    const isOver = (state: Followed | undefined) =>
      !state || state.fate.is === 'mined' || isCertain(state) || head - (state.payout.goneSince ?? head) >= patience
    if (!named.some((state) => state?.fate.is !== 'ready' && isOver(state))) return
    for (const state of members) if (!isCertain(state)) await requeue(driver.sql, state.payout)
  })
}
