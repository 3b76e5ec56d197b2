import { chains } from '../../../src/wire/chain.ts'
import { nativeCoin } from '../../../src/wire/native-coin.ts'
import { dai, ether, everywhere, feed, usdc, wrappedEther } from './everywhere.ts'
import type { Preset } from './preset.ts'

export const arbitrum: Preset = {
  chainId: 42161,
  chain: { ...chains[42161], native: nativeCoin(42161), blockMs: 250, sources: ['viem'] },
  confirmations: {
    blocks: 80,
    why: 'One sequencer orders the blocks, and they change only if it fails before their data is on Ethereum, or if Ethereum reorganises. 20 seconds are a choice between that risk and the payer’s wait; finality takes as long as that of the Ethereum block with the data.',
    sources: ['arbitrum-finality'],
  },
  maxFeeGwei: 50,
  tokens: [
    usdc(
      '0xaf88d065e77c8cC2239327C5EDb3A432268e5831',
      { eip3009: { name: 'USD Coin', version: '2' } },
      'x402',
      'viem',
      'uniswap-list',
      'aave',
    ),
    ether,
    wrappedEther('0x82aF49447D8a07e3bd95BD0d56f35241523fBab1', 'uniswap-sdk', 'uniswap-list', 'aave'),
    dai('0xDA10009cBd5D07dd0CeCc66161FC93D7c9000da1', 'uniswap-list', 'aave'),
  ],
  contracts: {
    ...everywhere,
    uniswapV3Factory: { address: '0x1F98431c8aD98523631AE4a59f267346ea31F984', sources: ['uniswap-sdk', 'uniswap-docs'] },
    uniswapSwapRouter02: { address: '0x68b3465833fb72A70ecDF485E0e4C7bD8665Fc45', sources: ['uniswap-sdk', 'uniswap-docs'] },
    uniswapQuoterV2: { address: '0x61fFE014bA17989E743c5F6cB21bF9697530B21e', sources: ['uniswap-router', 'uniswap-docs'] },
    wrappedCoin: { address: '0x82aF49447D8a07e3bd95BD0d56f35241523fBab1', sources: ['uniswap-sdk', 'uniswap-docs'] },
    uniswapV4PoolManager: { address: '0x360E68faCcca8cA495c1B759Fd9EEe466db9FB32', sources: ['uniswap-sdk'] },
    uniswapV4Quoter: { address: '0x3972C00f7ed4885e145823eb7C655375d275A1C5', sources: ['uniswap-sdk'] },
  },
  sequencer: { address: '0xFdB631F5EE196F0ed6FAa767959853A9F217697D', sources: ['chainlink-docs'] },
  feeds: [
    feed('ETH / USD', '0x639Fe6ab55C921f74e7fac1ee960C0B6293ba612', 'chainlink', 'chainlink-datafeed'),
    feed('USDC / USD', '0x50834F3163758fcC1Df9973b6e91f0F0F0434aD3', 'chainlink', 'chainlink-datafeed'),
    feed('USDT / USD', '0x3f3f5dF88dC9F13eac63DF89EC16ef6e7E25DdE7', 'chainlink', 'chainlink-datafeed'),
    feed('DAI / USD', '0xc5C8E77B397E531B8EC06BFb0048328B30E9eCfB', 'chainlink', 'chainlink-datafeed'),
    feed('BTC / USD', '0x6ce185860a4963106506C203335A2910413708e9', 'chainlink', 'chainlink-datafeed'),
    feed('SOL / USD', '0x24ceA4b8ce57cdA5058b924B9B9987992450590c', 'chainlink', 'chainlink-datafeed'),
    feed('EUR / USD', '0xA14d53bC1F1c0F31B4aA3BD109344E5009051a84', 'chainlink', 'chainlink-datafeed'),
    feed('GBP / USD', '0x9C4424Fd84C6661F97D8d6b3fc3C1aAc2BeDd137', 'chainlink', 'chainlink-datafeed'),
    feed('BRL / USD', '0x04b7384473A2aDF1903E3a98aCAc5D62ba8C2702', 'chainlink', 'chainlink-datafeed'),
  ],
  leftOut: ['USDT (0xFd08…Cbb9): Uniswap calls it USDT0, Aave USD₮0.', 'EIP-2612: no package says which tokens have it.'],
}
