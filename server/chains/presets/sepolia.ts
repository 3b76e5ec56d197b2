import { ether, everywhere, feed, usdc, wrappedEther } from './everywhere.ts'
import type { Preset } from './preset.ts'

export const sepolia: Preset = {
  chainId: 11155111,
  chain: {
    name: 'Sepolia',
    native: { symbol: 'ETH', name: 'Sepolia Ether', decimals: 18 },
    explorer: 'https://sepolia.etherscan.io',
    sources: ['viem'],
  },
  confirmations: {
    blocks: 32,
    why: 'As on Ethereum, so that a test takes as long as the real thing.',
    sources: ['ethereum-finality'],
  },
  maxFeeGwei: 500,
  tokens: [
    usdc('0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238', {}, 'viem'),
    ether,
    wrappedEther('0xfFf9976782d46CC05630D1f6eBAb18b2324d6B14', 'uniswap-sdk', 'uniswap-list'),
  ],
  contracts: {
    ...everywhere,
    uniswapV3Factory: { address: '0x0227628f3F023bb0B980b67D528571c95c6DaC1c', sources: ['uniswap-sdk', 'uniswap-docs'] },
    uniswapSwapRouter02: { address: '0x3bFA4769FB09eefC5a80d6E87c3B9C650f7Ae48E', sources: ['uniswap-sdk', 'uniswap-docs'] },
    uniswapQuoterV2: { address: '0xEd1f6473345F45b75F8179591dd5bA1888cf2FB3', sources: ['uniswap-sdk', 'uniswap-docs'] },
    wrappedCoin: { address: '0xfFf9976782d46CC05630D1f6eBAb18b2324d6B14', sources: ['uniswap-sdk', 'uniswap-docs'] },
    uniswapV4PoolManager: { address: '0xE03A1074c86CFeDd5C142C4F04F1a1536e203543', sources: ['uniswap-sdk'] },
    uniswapV4Quoter: { address: '0x61B3f2011A92d183C7dbaDBdA940a7555Ccf9227', sources: ['uniswap-sdk'] },
  },
  feeds: [
    feed('USDC / USD', '0xA2F78ab2355fe2f984D808B5CeE7FD0A93D5270E', 'chainlink'),
    feed('DAI / USD', '0x14866185B1962B63C3Ea9E03Bc1da838bab34C19', 'chainlink'),
  ],
  leftOut: [
    'Block time: viem has none.',
    'USDC’s EIP-712 domain: the tables of x402 do not name this chain, so USDC is not paid by signature here.',
    'USDT and DAI: no package has them on this chain.',
    'ETH / USD: Chainlink’s table has two feeds of that name.',
    'EIP-2612: no package says which tokens have it.',
  ],
}
