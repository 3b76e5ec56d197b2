import { getBase64EncodedWireTransaction } from '@solana/kit'
import { asAddress, blockhashCall, mintsCall, simulationCall } from '../calls.ts'
import { mintOf } from '../mints.ts'
import { buildOpening, buildTransaction, type Built, type Budget, type Lifetime } from './build-transaction.ts'
import type { Driver, Prepare, PreparedTransaction } from './driver.ts'
import { keyOfOrder, type QueuedPayout } from './payout-queue.ts'
import { instructionOf, mostUnits, noDepositAddress, SimulationFailed, unitsFor } from './simulated.ts'

/** The operator opens the account at which an order gets a token, and pays its rent. */
export const prepareOpening: Prepare = async (driver, payout, unitPrice, signal) => {
  const key = await keyOfOrder(driver.sql, payout.orderId)
  if (!key || payout.token === null) return { refused: noDepositAddress }
  const owner = asAddress(key.address)
  const mint = mintOf(driver.config.tokens, payout.token)
  if (!mint) return { refused: 'The token is not configured.' }
  const build = (lifetime: Lifetime, budget: Budget) => buildOpening(driver.signer.operator, owner, mint, lifetime, budget)
  return prepared(driver, payout, { unitPrice, keys: [], build }, signal)
}

/** Only an empty account can be closed, so no money is lost that arrives meanwhile. */
export const prepareClosing: Prepare = async (driver, payout, unitPrice, signal) => {
  const key = await keyOfOrder(driver.sql, payout.orderId)
  if (!key || payout.token === null) return { refused: noDepositAddress }
  const address = asAddress(payout.token)
  // The token may not be configured any more.
  const [{ value: found }] = await driver.rpc.read(signal, mintsCall([address]))
  if (!found[0]) return { refused: 'The token does not exist.' }
  const mint = { address, program: asAddress(found[0].owner) }
  const { operator } = driver.signer
  // Nothing is transferred, so neither the decimals nor the note are used.
  const part = { operator, deposit: asAddress(key.address), token: { mint, decimals: 0 }, legs: [], note: '', isClosed: true }
  const build = (lifetime: Lifetime, budget: Budget) => buildTransaction(part, lifetime, budget)
  return prepared(driver, payout, { unitPrice, keys: [key.index], build }, signal)
}

interface Work {
  readonly unitPrice: bigint
  readonly keys: readonly number[]
  readonly build: (lifetime: Lifetime, budget: Budget) => Promise<Built>
}

async function prepared(
  { rpc }: Driver,
  payout: QueuedPayout,
  { unitPrice, keys, build }: Work,
  signal: AbortSignal,
): Promise<PreparedTransaction | { readonly refused: string }> {
  const [{ value: lifetime }] = await rpc.read(signal, blockhashCall())
  const { unsigned } = await build(lifetime, { units: mostUnits, unitPrice })
  const [simulated] = await rpc.attempt(signal, simulationCall(getBase64EncodedWireTransaction(unsigned), 0))
  if ('error' in simulated) throw new SimulationFailed(payout.id, simulated.error.message)
  const { err, unitsConsumed } = simulated.value.value
  if (instructionOf(err) !== undefined) return { refused: `The chain refuses it: ${JSON.stringify(err)}.` }
  if (err !== undefined) throw new SimulationFailed(payout.id, err)
  const built = await build(lifetime, { units: unitsFor(payout, unitsConsumed ?? mostUnits), unitPrice })
  return { unsigned: built.unsigned, keys, lastValidHeight: lifetime.lastValidBlockHeight, paid: [], dust: 0n }
}
