import {
  getBase64EncodedWireTransaction,
  getCompiledTransactionMessageDecoder,
  getSignatureFromTransaction,
  type Transaction,
} from '@solana/kit'
import { COMPUTE_BUDGET_PROGRAM_ADDRESS } from '@solana-program/compute-budget'
import { SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system'
import { ASSOCIATED_TOKEN_PROGRAM_ADDRESS, TOKEN_PROGRAM_ADDRESS } from '@solana-program/token'
import { transaction } from '../../../database/transaction.ts'
import { backoffMs } from '../../../lib/pause.ts'
import { ChainUnavailable } from '../../chain.ts'
import { accountsCall, asAddress, blockhashCall, simulationCall } from '../calls.ts'
import { solanaFacts } from '../../presets/solana.ts'
import { amountOf } from '../account-feed.ts'
import { readSlot } from '../accounts.ts'
import { tokenAccount } from '../token-account.ts'
import { currentUnitPrice, raised } from '../unit-price.ts'
import { buildTransaction, type Built, type Lifetime, type Part } from './build-transaction.ts'
import { type Driver, reportOutcome } from './driver.ts'
import { insertAttempt, keyOfOrder, markFailed, payoutsDue, postpone, type QueuedPayout } from './payout-queue.ts'

const ownPrograms: ReadonlySet<string> = new Set([
  SYSTEM_PROGRAM_ADDRESS,
  TOKEN_PROGRAM_ADDRESS,
  ASSOCIATED_TOKEN_PROGRAM_ADDRESS,
  COMPUTE_BUDGET_PROGRAM_ADDRESS,
])
const readAtOnce = 50
const waits = { firstMs: 1_000, longestMs: 600_000 }
/** Until the transaction was simulated, it may use as many compute units as any transaction. */
const mostUnits = 1_400_000
const differentLimits = 1_000
/** Networks carry no larger transactions. */
const mostBytes = 1_232

/** Signs what is due. A payout that cannot be sent yet, that never can, or whose report fails, holds up no other. */
export async function sendPayouts(driver: Driver, signal: AbortSignal): Promise<void> {
  const failures: unknown[] = []
  const payouts = await payoutsDue(driver.sql, driver.config.chainId, readAtOnce)
  if (payouts.length === 0) return
  const price = await currentUnitPrice(driver.rpc, driver.config, signal)
  for (const payout of payouts) {
    try {
      await sendPayout(driver, payout, raised(price, payout.failures, driver.config.unitPrice.most), signal)
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof ChainUnavailable) throw error
      failures.push(error)
      await postpone(driver.sql, payout.id, backoffMs(payout.failures, waits), String(error))
    }
  }
  if (failures.length > 0) throw failures[0]
}

async function sendPayout(driver: Driver, payout: QueuedPayout, unitPrice: bigint, signal: AbortSignal): Promise<void> {
  const { sql, config, signer } = driver
  const key = await keyOfOrder(sql, payout.orderId)
  if (!key) return fail(driver, payout, 'The order has no deposit address on this chain.')
  const prepared = await prepare(driver, payout, { address: key.address, unitPrice }, signal)
  if ('refused' in prepared) return fail(driver, payout, prepared.refused)
  const { part, lifetime, units, dust } = prepared
  // Two payouts may be alike, and within a block their transactions would be one, so each may use another number of units.
  const budget = { units: units + (payout.position % differentLimits), unitPrice }
  const { unsigned } = await buildTransaction(part, lifetime, budget)
  const signed = await signer.sign(unsigned, [key.index], signal)
  const attempt = {
    signature: getSignatureFromTransaction(signed as never),
    raw: getBase64EncodedWireTransaction(signed),
    lastValidHeight: lifetime.lastValidBlockHeight,
    paid: payout.legs.map((_, index) => part.legs.some((leg) => leg.index === index)),
    dust,
  }
  await transaction(sql, (tx) => insertAttempt(tx, config.chainId, payout.id, attempt))
}

async function fail(driver: Driver, payout: QueuedPayout, reason: string): Promise<void> {
  await reportOutcome(driver, payout, { state: 'failed', reason, cause: 'reverts' }, (tx) => markFailed(tx, payout.id, reason))
}

type Prepared =
  | { readonly part: Part; readonly lifetime: Lifetime; readonly units: number; readonly dust: bigint }
  | { readonly refused: string }

/** Leaves out legs that the chain refuses, one after the other, until a simulation succeeds. */
async function prepare(
  driver: Driver,
  payout: QueuedPayout,
  { address, unitPrice }: { readonly address: string; readonly unitPrice: bigint },
  signal: AbortSignal,
): Promise<Prepared> {
  const { rpc, config, signer } = driver
  const deposit = asAddress(address)
  const token = payout.token === null ? undefined : config.tokens.find((each) => each.address === payout.token)
  if (payout.token !== null && !token) return { refused: 'The token is not configured.' }
  const account = payout.token === null ? address : await tokenAccount(address, payout.token)
  const slot = await paidBefore(driver)
  const [{ value: lifetime }, { value: accounts }] = await rpc.read(signal, blockhashCall(), accountsCall([account], slot))
  const balance = amountOf(accounts[0] ?? null, payout.token)
  // A program that a transaction runs cannot be paid in it.
  const left = new Set([...payout.legs.keys()].filter((index) => !ownPrograms.has(payout.legs[index]?.to ?? '')))
  let isClosing = payout.token !== null
  let refused = left.size === 0 ? 'A program cannot be paid.' : 'The money is not at the deposit address.'
  if (payout.firstDecides && !left.has(0)) return { refused: 'A program cannot be paid.' }
  while (left.size > 0) {
    const legs = payout.legs.flatMap(({ to, amount }, index) => (left.has(index) ? [{ index, to, amount }] : []))
    const rest = legs.reduce((sum, { amount }) => sum - amount, balance)
    // Coins that are too few to stay at the address would be refused, so they go with the last leg.
    const dust = payout.token === null && rest > 0n && rest < solanaFacts.leastCoins ? rest : 0n
    const part: Part = {
      operator: signer.operator,
      deposit,
      ...(token && payout.token !== null && { token: { mint: asAddress(payout.token), decimals: token.decimals } }),
      legs: legs.map((leg, i) => (i === legs.length - 1 ? { ...leg, amount: leg.amount + dust } : leg)),
      isClosed: isClosing && rest === 0n,
    }
    const built = await buildTransaction(part, lifetime, { units: mostUnits, unitPrice })
    if (sizeOf(built.unsigned) > mostBytes) return { refused: 'Its legs do not fit into one transaction.' }
    const [simulated] = await rpc.attempt(signal, simulationCall(getBase64EncodedWireTransaction(built.unsigned), slot))
    // What a node does not simulate must not keep others from being sent.
    if (!simulated || 'error' in simulated) throw new SimulationFailed(payout.id, simulated?.error.message)
    const { value } = simulated.value
    if (value.err === undefined)
      return {
        part,
        lifetime,
        units: Math.min(mostUnits - differentLimits, Math.ceil((value.unitsConsumed ?? mostUnits) * 1.2) + 2_000),
        dust,
      }
    const cause = culprit(value.err, built, part)
    if (cause === undefined) throw new SimulationFailed(payout.id, value.err)
    if (cause === 'close') {
      isClosing = false
      continue
    }
    refused = `The chain refuses leg ${cause + 1}: ${JSON.stringify(value.err)}.`
    if (payout.firstDecides && cause === 0) break
    left.delete(cause)
  }
  return { refused }
}

/**
 * Everything that is paid out was final when the feed reported it, and final is what has so many confirmed blocks after it. To a node that lags behind that
 * slot the money would not be there, and it would refuse for good what only it cannot see.
 */
async function paidBefore({ sql, config }: Driver): Promise<number> {
  return Math.max(0, ((await readSlot(sql, config.chainId)) ?? 0) - config.confirmations + 1)
}

/** Returns which leg makes the transaction fail. Without one the operator or the node is the reason, and the payout waits. */
function culprit(error: unknown, { purposes, unsigned }: Built, { legs }: Part): number | 'close' | undefined {
  const index = instructionOf(error)
  const purpose = index === undefined ? undefined : purposes[index]
  if (purpose === 'close') return 'close'
  if (typeof purpose === 'object') return purpose.leg
  // Rent is checked when the transaction is over, so the error names an account and no instruction.
  const account = rentErrorAccount(error)
  if (account === undefined) return undefined
  const poor = getCompiledTransactionMessageDecoder().decode(unsigned.messageBytes).staticAccounts[account]
  return legs.findLast(({ to }) => to === poor)?.index
}

/** A signature has 64 bytes, and a byte says how many there are. */
const sizeOf = ({ messageBytes, signatures }: Transaction): number => 1 + 64 * Object.keys(signatures).length + messageBytes.length

function instructionOf(error: unknown): number | undefined {
  const found = memberOf(error, 'InstructionError')
  return Array.isArray(found) && typeof found[0] === 'number' ? found[0] : undefined
}

function rentErrorAccount(error: unknown): number | undefined {
  const found = memberOf(memberOf(error, 'InsufficientFundsForRent'), 'account_index')
  return typeof found === 'number' ? found : undefined
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && name in value ? (value as Record<string, unknown>)[name] : undefined

class SimulationFailed extends Error {
  override readonly name = 'SimulationFailed'

  constructor(payoutId: string, error: unknown) {
    super(`Payout ${payoutId} cannot be sent for now: a simulation fails with ${JSON.stringify(error)}.`)
  }
}
