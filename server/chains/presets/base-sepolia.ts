import { ether, everywhere, feed, usdc, wrappedEther } from './everywhere.ts'
import type { Preset } from './preset.ts'

export const baseSepolia: Preset = {
  chainId: 84532,
  chain: {
    name: 'Base Sepolia',
    native: { symbol: 'ETH', name: 'Sepolia Ether', decimals: 18 },
    explorer: 'https://sepolia.basescan.org',
    blockMs: 2000,
    sources: ['viem'],
  },
  confirmations: {
    blocks: 12,
    why: 'As on Base, so that a test takes as long as the real thing.',
    sources: ['op-finality'],
  },
  maxFeeGwei: 50,
  tokens: [
    usdc('0x036CbD53842c5426634e7929541eC2318f3dCF7e', { eip3009: { name: 'USDC', version: '2' } }, 'x402', 'viem'),
    ether,
    wrappedEther('0x4200000000000000000000000000000000000006', 'uniswap-sdk'),
  ],
  contracts: {
    ...everywhere,
    uniswapV3Factory: { address: '0x4752ba5DBc23f44D87826276BF6Fd6b1C372aD24', sources: ['uniswap-sdk', 'uniswap-docs'] },
    uniswapSwapRouter02: { address: '0x94cC0AaC535CCDB3C01d6787D6413C739ae12bc4', sources: ['uniswap-sdk', 'uniswap-docs'] },
    uniswapQuoterV2: { address: '0xC5290058841028F1614F3A6F0F5816cAd0df5E27', sources: ['uniswap-sdk', 'uniswap-docs'] },
    wrappedCoin: { address: '0x4200000000000000000000000000000000000006', sources: ['uniswap-sdk', 'uniswap-docs'] },
    uniswapV4PoolManager: { address: '0x05E73354cFDd6745C338b50BcFDfA3Aa6fA03408', sources: ['uniswap-sdk'] },
    uniswapV4Quoter: { address: '0x4A6513c898fe1B2d0E78d3b0e0A4a151589B1cBa', sources: ['uniswap-sdk'] },
  },
  feeds: [
    feed('ETH / USD', '0x4aDC67696bA383F43DD60A9e78F2C97Fbbfc7cb1', 'chainlink'),
    feed('USDC / USD', '0xd30e2101a97dcbAeBCBC04F14C3f624E67A35165', 'chainlink'),
  ],
  leftOut: ['USDT and DAI: no package has them on this chain.', 'EIP-2612: no package says which tokens have it.'],
}
