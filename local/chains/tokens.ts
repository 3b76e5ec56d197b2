import { createRequire } from 'node:module'
import { concatHex, encodeAbiParameters, type Address } from 'viem'
import { TestDai } from '../../server/chains/evm/contracts/artifacts/TestDai.ts'
import { TestDollar } from '../../server/chains/evm/contracts/artifacts/TestDollar.ts'
import { TestTether } from '../../server/chains/evm/contracts/artifacts/TestTether.ts'
import { deterministic, factoryOf } from '../../server/chains/evm/factory.ts'
import { owner, payers } from './accounts.ts'
import { publishedCode } from './published.ts'

const require = createRequire(import.meta.url)

/** Each holder starts with this many whole tokens. The owner's share becomes the exchange's liquidity and a reserve. */
export const initialWhole = 100_000_000n
/** Each payer starts with this many whole tokens of wrapped coin. */
export const initialWrapped = 1_000n

const holders = [owner, ...payers].map(({ address }) => address as Address)
const holding = [{ type: 'address[]' }, { type: 'uint256' }] as const
const owned = [{ type: 'address' }, ...holding] as const

export const dollar = deterministic(
  concatHex([TestDollar.bytecode, encodeAbiParameters(owned, [owner.address as Address, holders, initialWhole * 10n ** 6n])]),
)
export const tether = deterministic(
  concatHex([TestTether.bytecode, encodeAbiParameters(owned, [owner.address as Address, holders, initialWhole * 10n ** 6n])]),
)
export const dai = deterministic(concatHex([TestDai.bytecode, encodeAbiParameters(holding, [holders, initialWhole * 10n ** 18n])]))
export const wrapped = deterministic(publishedCode(() => require('canonical-weth/build/contracts/WETH9.json')))
export const factory = factoryOf(owner.address)

export const deployments = [factory, dollar, tether, dai, wrapped]

export const tokens = [
  {
    address: dollar.address,
    symbol: 'USDC',
    name: 'USD Coin',
    decimals: 6,
    price_id: 'USDC',
    peg: 'usd',
    eip3009: { name: 'USD Coin', version: '2' },
  },
  { address: tether.address, symbol: 'USDT', name: 'Tether USD', decimals: 6, price_id: 'USDT', peg: 'usd' },
  { address: dai.address, symbol: 'DAI', name: 'Dai Stablecoin', decimals: 18, price_id: 'DAI', peg: 'usd' },
  { address: null, symbol: 'ETH', name: 'Ether', decimals: 18, price_id: 'ETH' },
  { address: wrapped.address, symbol: 'WETH', name: 'Wrapped Ether', decimals: 18, price_id: 'ETH' },
]
