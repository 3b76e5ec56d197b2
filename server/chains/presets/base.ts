import { chains } from '../../../src/wire/chain.ts'
import { nativeCoin } from '../../../src/wire/native-coin.ts'
import { dai, ether, everywhere, feed, usdc, wrappedEther } from './everywhere.ts'
import type { Preset } from './preset.ts'

export const base: Preset = {
  chainId: 8453,
  chain: { ...chains[8453], native: nativeCoin(8453), blockMs: 2000, sources: ['viem'] },
  confirmations: {
    blocks: 12,
    why: 'One sequencer orders the blocks, and they change only if it fails before their data is on Ethereum, or if Ethereum reorganises. 24 seconds are a choice between that risk and the payer’s wait; finality takes 20 to 30 minutes.',
    sources: ['op-finality'],
  },
  maxFeeGwei: 50,
  tokens: [
    usdc(
      '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
      { eip3009: { name: 'USD Coin', version: '2' } },
      'x402',
      'viem',
      'uniswap-list',
      'aave',
    ),
    ether,
    wrappedEther('0x4200000000000000000000000000000000000006', 'uniswap-sdk', 'uniswap-list', 'aave'),
    dai('0x50c5725949A6F0c72E6C4a641F24049A917DB0Cb', 'uniswap-list'),
  ],
  contracts: {
    ...everywhere,
    uniswapV3Factory: { address: '0x33128a8fC17869897dcE68Ed026d694621f6FDfD', sources: ['uniswap-sdk', 'uniswap-docs'] },
    uniswapSwapRouter02: { address: '0x2626664c2603336E57B271c5C0b26F421741e481', sources: ['uniswap-sdk', 'uniswap-docs'] },
    uniswapQuoterV2: { address: '0x3d4e44Eb1374240CE5F1B871ab261CD16335B76a', sources: ['uniswap-sdk', 'uniswap-docs'] },
    wrappedCoin: { address: '0x4200000000000000000000000000000000000006', sources: ['uniswap-sdk', 'uniswap-docs'] },
    uniswapV4PoolManager: { address: '0x498581fF718922c3f8e6A244956aF099B2652b2b', sources: ['uniswap-sdk'] },
    uniswapV4Quoter: { address: '0x0d5e0F971ED27FBfF6c2837bf31316121532048D', sources: ['uniswap-sdk'] },
  },
  sequencer: { address: '0xBCF85224fc0756B9Fa45aA7892530B47e10b6433', sources: ['chainlink-docs'] },
  feeds: [
    feed('ETH / USD', '0x71041dddad3595F9CEd3DcCFBe3D1F4b0a16Bb70', 'chainlink', 'chainlink-datafeed'),
    feed('USDC / USD', '0x7e860098F58bBFC8648a4311b374B1D669a2bc6B', 'chainlink', 'chainlink-datafeed'),
    feed('USDT / USD', '0xf19d560eB8d2ADf07BD6D13ed03e1D11215721F9', 'chainlink', 'chainlink-datafeed'),
    feed('DAI / USD', '0x591e79239a7d679378eC8c847e5038150364C78F', 'chainlink', 'chainlink-datafeed'),
    feed('SOL / USD', '0x975043adBb80fc32276CbF9Bbcfd4A601a12462D', 'chainlink', 'chainlink-datafeed'),
  ],
  leftOut: ['USDT: no package has it on this chain.', 'EIP-2612: no package says which tokens have it.'],
}
