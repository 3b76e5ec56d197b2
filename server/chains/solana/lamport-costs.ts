import type { Chain, ChainAsset, CostOf } from '../chain.ts'
import { solanaFacts } from '../presets/solana.ts'
import { type Mint, mintOf, type SolanaToken, TOKEN_2022_PROGRAM_ADDRESS } from './mints.ts'

const { feePerSignature, leastCoins, tokenRent, token2022Rent } = solanaFacts

interface Work {
  readonly signatures: bigint
  readonly units: bigint
  /** What may have to be paid for an account of the receiver. */
  readonly rent: bigint
}

type Kind = 'coin' | 'token' | 'token2022'

/** Measured on the runtime of the local node (test/chains/solana/lamport-costs.test.ts). */
const work: Readonly<Record<CostOf, Readonly<Record<Kind, Work>>>> = {
  // Recipients and fee collectors have had accounts since their first order.
  settle: {
    coin: { signatures: 2n, units: 8_000n, rent: 0n },
    token: { signatures: 2n, units: 10_000n, rent: 0n },
    token2022: { signatures: 2n, units: 16_000n, rent: 0n },
  },
  refund: {
    coin: { signatures: 2n, units: 8_000n, rent: 0n },
    token: { signatures: 2n, units: 50_000n, rent: tokenRent },
    token2022: { signatures: 2n, units: 60_000n, rent: token2022Rent },
  },
  // The payer's wallet opens the order's account.
  receive: {
    coin: { signatures: 1n, units: 3_000n, rent: 0n },
    token: { signatures: 1n, units: 40_000n, rent: tokenRent },
    token2022: { signatures: 1n, units: 40_000n, rent: token2022Rent },
  },
}

const priceOf = ({ signatures, units, rent }: Work, unitPrice: bigint): bigint =>
  signatures * feePerSignature + (units * unitPrice + 999_999n) / 1_000_000n + rent

export function lamportCosts(tokens: readonly SolanaToken[]): Pick<Chain, 'cost' | 'settlementGas'> {
  const workOf = (what: CostOf, { address }: ChainAsset): Work => work[what][kindOf(address)]
  function kindOf(address: string | null): Kind {
    if (address === null) return 'coin'
    return mintOf(tokens, address)?.program === TOKEN_2022_PROGRAM_ADDRESS ? 'token2022' : 'token'
  }
  return {
    /** In lamports. The fee rate is the price of a compute unit, in millionths of a lamport. */
    cost: (what, asset, unitPrice) => priceOf(workOf(what, asset), unitPrice),
    /** In compute units. A settlement is signed anew when it has expired, and only one of its transactions is ever included. */
    settlementGas: (asset) => workOf('settle', asset).units,
  }
}

/** Returns what an account for a token costs whoever opens it. */
export const rentOf = ({ program }: Mint): bigint => (program === TOKEN_2022_PROGRAM_ADDRESS ? token2022Rent : tokenRent)

/** The operator has to be able to pay for whatever is the dearest. */
export const dearestRefund = (unitPrice: bigint): bigint => priceOf(work.refund.token2022, unitPrice)

/** A receiver who has no account yet needs this many lamports at least, or the chain refuses to pay him. */
export const leastLamports = ({ address }: ChainAsset): bigint => (address === null ? leastCoins : 1n)
