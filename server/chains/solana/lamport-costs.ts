import type { ChainAsset, CostOf } from '../chain.ts'
import { solanaFacts } from '../presets/solana.ts'

const { feePerSignature, leastCoins, tokenRent } = solanaFacts

interface Work {
  readonly signatures: bigint
  readonly units: bigint
  /** What may have to be paid for an account of the receiver. */
  readonly rent: bigint
}

/** Measured on the runtime of the local node (test/chains/solana/lamport-costs.test.ts). */
const work: Readonly<Record<CostOf, { readonly coin: Work; readonly token: Work }>> = {
  // Recipients and fee collectors have had accounts since their first order.
  settle: { coin: { signatures: 2n, units: 8_000n, rent: 0n }, token: { signatures: 2n, units: 50_000n, rent: 0n } },
  refund: { coin: { signatures: 2n, units: 8_000n, rent: 0n }, token: { signatures: 2n, units: 50_000n, rent: tokenRent } },
  // The payer's wallet opens the order's account.
  receive: { coin: { signatures: 1n, units: 3_000n, rent: 0n }, token: { signatures: 1n, units: 40_000n, rent: tokenRent } },
}

const priceOf = ({ signatures, units, rent }: Work, unitPrice: bigint): bigint =>
  signatures * feePerSignature + (units * unitPrice + 999_999n) / 1_000_000n + rent

const workOf = (what: CostOf, { address }: ChainAsset): Work => work[what][address === null ? 'coin' : 'token']

/** In lamports. The fee rate is the price of a compute unit, in millionths of a lamport. */
export const lamportCost = (what: CostOf, asset: ChainAsset, unitPrice: bigint): bigint => priceOf(workOf(what, asset), unitPrice)

/** In compute units. A settlement is signed anew when it has expired, and only one of its transactions is ever included. */
export const settlementUnits = (asset: ChainAsset): bigint => workOf('settle', asset).units

/** A receiver who has no account yet needs this many lamports at least, or the chain refuses to pay him. */
export const leastLamports = ({ address }: ChainAsset): bigint => (address === null ? leastCoins : 1n)
