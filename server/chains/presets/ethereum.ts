import { chains } from '../../../src/wire/chain.ts'
import { nativeCoin } from '../../../src/wire/native-coin.ts'
import { dai, ether, everywhere, feed, usdc, usdt, wrappedEther } from './everywhere.ts'
import type { Preset } from './preset.ts'

export const ethereum: Preset = {
  chainId: 1,
  chain: { ...chains[1], native: nativeCoin(1), blockMs: 12000, sources: ['viem'] },
  confirmations: {
    blocks: 32,
    why: 'An epoch has 32 slots, in which every validator votes once, so a block this deep has been voted on by all of them. Finality itself takes two to three epochs, 13 to 19 minutes.',
    sources: ['ethereum-finality'],
  },
  maxFeeGwei: 500,
  tokens: [
    usdc(
      '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
      { eip3009: { name: 'USD Coin', version: '2' } },
      'x402',
      'viem',
      'uniswap-list',
      'aave',
    ),
    usdt('0xdAC17F958D2ee523a2206206994597C13D831ec7', 6, 'uniswap-list', 'aave'),
    ether,
    wrappedEther('0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2', 'uniswap-sdk', 'uniswap-list', 'aave'),
    dai('0x6B175474E89094C44Da98b954EedeAC495271d0F', 'uniswap-list', 'aave'),
  ],
  contracts: {
    ...everywhere,
    uniswapV3Factory: { address: '0x1F98431c8aD98523631AE4a59f267346ea31F984', sources: ['uniswap-sdk', 'uniswap-docs'] },
    uniswapSwapRouter02: { address: '0x68b3465833fb72A70ecDF485E0e4C7bD8665Fc45', sources: ['uniswap-sdk', 'uniswap-docs'] },
    uniswapQuoterV2: { address: '0x61fFE014bA17989E743c5F6cB21bF9697530B21e', sources: ['uniswap-router', 'uniswap-docs'] },
    wrappedCoin: { address: '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2', sources: ['uniswap-sdk', 'uniswap-docs'] },
    uniswapV4PoolManager: { address: '0x000000000004444c5dc75cB358380D2e3dE08A90', sources: ['uniswap-sdk'] },
    uniswapV4Quoter: { address: '0x52F0E24D1c21C8A0cB1e5a5dD6198556BD9E1203', sources: ['uniswap-sdk'] },
  },
  feeds: [
    feed('ETH / USD', '0x5f4eC3Df9cbd43714FE2740f5E3616155c5b8419', 'chainlink', 'chainlink-datafeed'),
    feed('USDC / USD', '0x8fFfFfd4AfB6115b954Bd326cbe7B4BA576818f6', 'chainlink', 'chainlink-datafeed'),
    feed('USDT / USD', '0x3E7d1eAB13ad0104d2750B8863b489D65364e32D', 'chainlink', 'chainlink-datafeed'),
    feed('DAI / USD', '0xAed0c38402a5d19df6E4c03F4E2DceD6e29c1ee9', 'chainlink', 'chainlink-datafeed'),
    feed('BTC / USD', '0xF4030086522a5bEEa4988F8cA5B36dbC97BeE88c', 'chainlink', 'chainlink-datafeed'),
    feed('SOL / USD', '0x4ffC43a60e009B551865A93d232E33Fce9f01507', 'chainlink', 'chainlink-datafeed'),
    feed('EUR / USD', '0xb49f677943BC038e9857d61E7d053CaA2C1734C1', 'chainlink', 'chainlink-datafeed'),
    feed('GBP / USD', '0x5c0Ab2d9b5a7ed9f470386e82BB36A3613cDd4b5', 'chainlink', 'chainlink-datafeed'),
  ],
  leftOut: ['EIP-2612: no package says which tokens have it.'],
}
