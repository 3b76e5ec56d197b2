import { chains } from '../../../src/wire/chain.ts'
import { nativeCoin } from '../../../src/wire/native-coin.ts'
import { dai, everywhere, feed, usdc, usdt } from './everywhere.ts'
import type { Preset } from './preset.ts'

export const bnb: Preset = {
  chainId: 56,
  chain: { ...chains[56], native: nativeCoin(56), blockMs: 750, sources: ['viem'] },
  confirmations: {
    blocks: 15,
    why: 'Validators’ votes make a block final two blocks later (BEP-126); 15 blocks, 11 seconds, leave room for rounds whose votes come late.',
    sources: ['bnb-finality'],
  },
  maxFeeGwei: 100,
  tokens: [
    usdt('0x55d398326f99059fF775485246999027B3197955', 18, 'uniswap-list', 'aave'),
    usdc('0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d', { decimals: 18 }, 'uniswap-list', 'aave'),
    { address: null, symbol: 'BNB', name: 'BNB', decimals: 18, sources: ['viem'] },
    {
      address: '0xbb4CdB9CBd36B01bD1cBaEBF2De08d9173bc095c',
      symbol: 'WBNB',
      name: 'Wrapped BNB',
      decimals: 18,
      price_id: 'BNB',
      sources: ['uniswap-sdk', 'uniswap-list', 'aave'],
    },
    dai('0x1AF3F329e8BE154074D8769D1FFa4eE058B1DBc3', 'uniswap-list'),
  ],
  contracts: {
    ...everywhere,
    uniswapV3Factory: { address: '0xdB1d10011AD0Ff90774D0C6Bb92e5C5c8b4461F7', sources: ['uniswap-sdk', 'uniswap-docs'] },
    uniswapSwapRouter02: { address: '0xB971eF87ede563556b2ED4b1C0b0019111Dd85d2', sources: ['uniswap-sdk', 'uniswap-docs'] },
    uniswapQuoterV2: { address: '0x78D78E420Da98ad378D7799bE8f4AF69033EB077', sources: ['uniswap-sdk', 'uniswap-docs'] },
    wrappedCoin: { address: '0xbb4CdB9CBd36B01bD1cBaEBF2De08d9173bc095c', sources: ['uniswap-sdk', 'uniswap-docs'] },
    uniswapV4PoolManager: { address: '0x28e2Ea090877bF75740558f6BFB36A5ffeE9e9dF', sources: ['uniswap-sdk'] },
    uniswapV4Quoter: { address: '0x9F75dD27D6664c475B90e105573E550ff69437B0', sources: ['uniswap-sdk'] },
  },
  feeds: [
    feed('BNB / USD', '0x0567F2323251f0Aab15c8dFb1967E4e8A7D42aeE', 'chainlink', 'chainlink-datafeed'),
    feed('ETH / USD', '0x9ef1B8c0E4F7dc8bF5719Ea496883DC6401d5b2e', 'chainlink', 'chainlink-datafeed'),
    feed('USDC / USD', '0x51597f405303C4377E36123cBc172b13269EA163', 'chainlink', 'chainlink-datafeed'),
    feed('USDT / USD', '0xB97Ad0E74fa7d920791E90258A6E2085088b4320', 'chainlink', 'chainlink-datafeed'),
    feed('DAI / USD', '0x132d3C0B1D2cEa0BC552588063bdBb210FDeecfA', 'chainlink'),
    feed('BTC / USD', '0x264990fbd0A4796A3E3d8E37C4d5F87a3aCa5Ebf', 'chainlink', 'chainlink-datafeed'),
    feed('SOL / USD', '0x0E8a53DD9c13589df6382F13dA6B3Ec8F919B323', 'chainlink', 'chainlink-datafeed'),
    feed('EUR / USD', '0x0bf79F617988C472DcA68ff41eFe1338955b9A80', 'chainlink', 'chainlink-datafeed'),
    feed('GBP / USD', '0x8FAf16F710003E538189334541F5D4a391Da46a0', 'chainlink', 'chainlink-datafeed'),
    feed('MXN / USD', '0x16c0C1f971b1780F952572670A9d5ce4123582a1', 'chainlink', 'chainlink-datafeed'),
    feed('BRL / USD', '0x5cb1Cb3eA5FB46de1CE1D0F3BaDB3212e8d8eF48', 'chainlink', 'chainlink-datafeed'),
  ],
  leftOut: [
    'EIP-712 domains: USDC and USDT are pegged by Binance here, and no package names a domain of theirs.',
    'EIP-2612: no package says which tokens have it.',
  ],
}
