import { createHash } from 'node:crypto'
import { getBase64EncodedWireTransaction, getCompiledTransactionMessageDecoder, type Transaction } from '@solana/kit'
import { COMPUTE_BUDGET_PROGRAM_ADDRESS } from '@solana-program/compute-budget'
import { SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system'
import { ASSOCIATED_TOKEN_PROGRAM_ADDRESS, TOKEN_PROGRAM_ADDRESS } from '@solana-program/token'
import { solanaFacts } from '../../presets/solana.ts'
import { amountOf } from '../account-feed.ts'
import { readSlot } from '../accounts.ts'
import { accountsCall, asAddress, blockhashCall, isTokenAccount, mostAccounts, simulationCall } from '../calls.ts'
import { type Mint, mintOf, TOKEN_2022_PROGRAM_ADDRESS } from '../mints.ts'
import type { SolanaRpc } from '../rpc-client.ts'
import { tokenAccount } from '../token-account.ts'
import { buildTransaction, type Built, type Lifetime, type Part } from './build-transaction.ts'
import type { Driver, PayoutsConfig, Prepare } from './driver.ts'
import { keyOfOrder, type QueuedPayout } from './payout-queue.ts'
import { instructionOf, memberOf, mostUnits, noDepositAddress, SimulationFailed, unitsFor } from './simulated.ts'

const ownPrograms: ReadonlySet<string> = new Set([
  SYSTEM_PROGRAM_ADDRESS,
  TOKEN_PROGRAM_ADDRESS,
  TOKEN_2022_PROGRAM_ADDRESS,
  ASSOCIATED_TOKEN_PROGRAM_ADDRESS,
  COMPUTE_BUDGET_PROGRAM_ADDRESS,
])
/** Networks carry no larger transactions. */
const mostBytes = 1_232

/** All legs are paid by one transaction. It leaves out legs that the chain refuses. */
export const preparePayment: Prepare = async (driver, payout, unitPrice, signal) => {
  const key = await keyOfOrder(driver.sql, payout.orderId)
  if (!key) return { refused: noDepositAddress }
  const accepted = await acceptedBySimulation(driver, payout, { address: key.address, unitPrice }, signal)
  if ('refused' in accepted) return accepted
  const { part, lifetime, units, dust } = accepted
  const { unsigned } = await buildTransaction(part, lifetime, { units: unitsFor(payout, units), unitPrice })
  return {
    unsigned,
    keys: [key.index],
    lastValidHeight: lifetime.lastValidBlockHeight,
    paid: payout.legs.map((_, index) => part.legs.some((leg) => leg.index === index)),
    dust,
  }
}

interface Accepted {
  readonly part: Part
  readonly lifetime: Lifetime
  /** The transaction used so many. */
  readonly units: number
  readonly dust: bigint
}

/** Leaves out legs that the chain refuses, one after the other, until a simulation succeeds. */
async function acceptedBySimulation(
  driver: Driver,
  payout: QueuedPayout,
  { address, unitPrice }: { readonly address: string; readonly unitPrice: bigint },
  signal: AbortSignal,
): Promise<Accepted | { readonly refused: string }> {
  const { rpc, config, signer } = driver
  const token = tokenOf(config.tokens, payout.token)
  if (payout.token !== null && !token) return { refused: 'The token is not configured.' }
  const slot = await paidBefore(driver)
  const { lifetime, balance, opened } = await read(rpc, { payout, address, mint: token?.mint, slot }, signal)
  const noted = new Set<number>()
  // A program that a transaction runs cannot be paid in it.
  const left = new Set([...payout.legs.keys()].filter((index) => !ownPrograms.has(payout.legs[index]?.to ?? '')))
  let isClosing = payout.token !== null
  let refused = left.size === 0 ? 'A program cannot be paid.' : 'The money is not at the deposit address.'
  if (payout.firstDecides && !left.has(0)) return { refused: 'A program cannot be paid.' }
  while (left.size > 0) {
    const legs = payout.legs.flatMap(({ to, amount }, index) =>
      left.has(index) ? [{ index, to, amount, isOpened: opened.has(index), isNoted: noted.has(index) }] : [],
    )
    const rest = legs.reduce((sum, { amount }) => sum - amount, balance)
    // Coins that are too few to stay at the address would be refused, so they go with the last leg.
    const dust = payout.token === null && rest > 0n && rest < solanaFacts.leastCoins ? rest : 0n
    const part: Part = {
      operator: signer.operator,
      deposit: asAddress(address),
      ...(token && { token }),
      legs: legs.map((leg, i) => (i === legs.length - 1 ? { ...leg, amount: leg.amount + dust } : leg)),
      note: noteOf(payout.orderId),
      isClosed: isClosing && rest === 0n,
    }
    const built = await buildTransaction(part, lifetime, { units: mostUnits, unitPrice })
    if (sizeOf(built.unsigned) > mostBytes) return { refused: 'Its legs do not fit into one transaction.' }
    const [simulated] = await rpc.attempt(signal, simulationCall(getBase64EncodedWireTransaction(built.unsigned), slot))
    // What a node does not simulate must not keep others from being sent.
    if ('error' in simulated) throw new SimulationFailed(payout.id, simulated.error.message)
    const { value } = simulated.value
    if (value.err === undefined) return { part, lifetime, units: value.unitsConsumed ?? mostUnits, dust }
    const cause = culprit(value.err, built, part)
    if (cause === undefined) throw new SimulationFailed(payout.id, value.err)
    if (cause === 'close') {
      isClosing = false
      continue
    }
    if (token && wantsNote(value.err) && !noted.has(cause)) {
      noted.add(cause)
      continue
    }
    // The receiver may have closed the account meanwhile.
    if (token && !opened.has(cause)) {
      opened.add(cause)
      continue
    }
    refused = `The chain refuses leg ${cause + 1}: ${JSON.stringify(value.err)}.`
    if (payout.firstDecides && cause === 0) break
    left.delete(cause)
  }
  return { refused }
}

function tokenOf(tokens: PayoutsConfig['tokens'], wanted: string | null): Part['token'] {
  const [mint, found] = [mintOf(tokens, wanted), tokens.find(({ address }) => address === wanted)]
  return mint && found && { mint, decimals: found.decimals }
}

interface Asked {
  readonly payout: QueuedPayout
  readonly address: string
  readonly mint: Mint | undefined
  /** The node has to have seen this slot. */
  readonly slot: number
}

/** Reads a recent block, what is at the deposit address, and which legs have receivers without an account for the token. */
async function read(
  rpc: SolanaRpc,
  { payout: { legs, token }, address, mint, slot }: Asked,
  signal: AbortSignal,
): Promise<{ readonly lifetime: Lifetime; readonly balance: bigint; readonly opened: Set<number> }> {
  // Far fewer legs than these fit into a transaction.
  const receivers = mint ? legs.slice(0, mostAccounts - 1).map(({ to }) => to) : []
  const accounts = mint ? await Promise.all([address, ...receivers].map((owner) => tokenAccount(owner, mint))) : [address]
  const [{ value: lifetime }, { value: found }] = await rpc.read(signal, blockhashCall(), accountsCall(accounts, slot))
  const [own = null, ...theirs] = found
  const missing = receivers.flatMap((_, index) => (isTokenAccount(theirs[index] ?? null) ? [] : [index]))
  return { lifetime, balance: amountOf(own, token), opened: new Set(missing) }
}

/** Whoever knows the order can recognise it, and nobody learns its id, since whoever has that can open the order's page. */
const noteOf = (orderId: string): string => createHash('sha256').update(orderId).digest('hex').slice(0, 16)

/** Both token programs number their errors, and this one says that there is no note before a transfer. */
const noMemo = 36
function wantsNote(error: unknown): boolean {
  const found = memberOf(error, 'InstructionError')
  return Array.isArray(found) && memberOf(found[1], 'Custom') === noMemo
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

function rentErrorAccount(error: unknown): number | undefined {
  const found = memberOf(memberOf(error, 'InsufficientFundsForRent'), 'account_index')
  return typeof found === 'number' ? found : undefined
}
