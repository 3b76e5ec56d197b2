import { createRequire } from 'node:module'
import { concatHex, encodeAbiParameters, getContractAddress, zeroAddress, type Address, type Hex } from 'viem'
import { LocalOwned } from '../../server/chains/evm/contracts/artifacts/LocalOwned.ts'
import { deterministic } from '../../server/chains/evm/factory.ts'
import { owner } from './accounts.ts'
import { publishedCode } from './published.ts'
import { wrapped } from './tokens.ts'

const require = createRequire(import.meta.url)

/** Uniswap v3 as it is on real chains, from the code that its packages publish. */

const create = (code: Hex, ...addresses: readonly string[]) =>
  deterministic(
    concatHex([
      code,
      encodeAbiParameters(
        addresses.map(() => ({ type: 'address' })),
        addresses,
      ),
    ]),
  )

const factoryCode = publishedCode(() => require('@uniswap/v3-core/artifacts/contracts/UniswapV3Factory.sol/UniswapV3Factory.json'))
const owned = deterministic(
  concatHex([LocalOwned.bytecode, encodeAbiParameters([{ type: 'bytes' }, { type: 'address' }], [factoryCode, owner.address as Address])]),
)
export const uniswapFactory = { ...owned, address: getContractAddress({ from: owned.address as Address, nonce: 1n }).toLowerCase() }

/** Nobody asks for the picture of a position, so there is no descriptor. */
export const positions = create(
  publishedCode(() => require('@uniswap/v3-periphery/artifacts/contracts/NonfungiblePositionManager.sol/NonfungiblePositionManager.json')),
  uniswapFactory.address,
  wrapped.address,
  zeroAddress,
)
const quoter = create(
  publishedCode(() => require('@uniswap/swap-router-contracts/artifacts/contracts/lens/QuoterV2.sol/QuoterV2.json')),
  uniswapFactory.address,
  wrapped.address,
)
/** There is no Uniswap v2 here. */
const router = create(
  publishedCode(() => require('@uniswap/swap-router-contracts/artifacts/contracts/SwapRouter02.sol/SwapRouter02.json')),
  zeroAddress,
  uniswapFactory.address,
  positions.address,
  wrapped.address,
)

export const uniswapDeployments = [uniswapFactory, positions, quoter, router]

export const exchange = { router: router.address, quoter: quoter.address, factory: uniswapFactory.address, wrapped: wrapped.address }
