import type { ChainAsset, CostOf } from '../chain.ts'

/** This gas is estimated for every chain alike, by whether the native coin or a token is moved. */
const gasUnits: Readonly<Record<CostOf, { readonly native: bigint; readonly token: bigint }>> = {
  // A whole settlement deploys the forwarder and pays the recipient and the fee collector, as measured (see test/orders/minimum.test.ts).
  settle: { native: 140_000n, token: 145_000n },
  refund: { native: 150_000n, token: 150_000n },
  receive: { native: 21_000n, token: 65_000n },
}

/** TillFactory.sol caps the gas of one payment of a settlement (a leg) at this (LEG_GAS). */
const legGas = 200_000n

const unitsOf = (what: CostOf, { address }: ChainAsset): bigint => gasUnits[what][address === null ? 'native' : 'token']

export const cost = (what: CostOf, asset: ChainAsset, gasPrice: bigint): bigint => gasPrice * unitsOf(what, asset)

/** Counts a settlement and one retry. Only a recipient of native coin is called, and may burn all the gas that its payment may use. */
export const settlementGas = (asset: ChainAsset): bigint => 2n * (unitsOf('settle', asset) + (asset.address === null ? legGas : 0n))
