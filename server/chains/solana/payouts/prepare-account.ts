import { getBase64EncodedWireTransaction } from '@solana/kit'
import { asAddress, blockhashCall, simulationCall } from '../calls.ts'
import { buildOpening, buildTransaction, type Built, type Budget, type Lifetime } from './build-transaction.ts'
import type { Driver, Prepare, PreparedTransaction } from './driver.ts'
import { keyOfOrder, type QueuedPayout } from './payout-queue.ts'
import { instructionOf, mostUnits, noDepositAddress, SimulationFailed, unitsFor } from './simulated.ts'

/** The operator opens the account at which an order gets a token, and pays its rent. */
export const prepareOpening: Prepare = async (driver, payout, unitPrice, signal) => {
  const key = await keyOfOrder(driver.sql, payout.orderId)
  if (!key || payout.token === null) return { refused: noDepositAddress }
  const [owner, mint] = [asAddress(key.address), asAddress(payout.token)]
  const build = (lifetime: Lifetime, budget: Budget) => buildOpening(driver.signer.operator, owner, mint, lifetime, budget)
  return prepared(driver, payout, { unitPrice, keys: [], build }, signal)
}

/** Only an empty account can be closed, so no money is lost that arrives meanwhile. */
export const prepareClosing: Prepare = async (driver, payout, unitPrice, signal) => {
  const key = await keyOfOrder(driver.sql, payout.orderId)
  if (!key || payout.token === null) return { refused: noDepositAddress }
  const [deposit, mint] = [asAddress(key.address), asAddress(payout.token)]
  // Nothing is transferred, so the decimals are not used.
  const part = { operator: driver.signer.operator, deposit, token: { mint, decimals: 0 }, legs: [], isClosed: true }
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
