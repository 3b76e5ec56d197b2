import { chains } from '../../../src/wire/chain.ts'
import { nativeCoin } from '../../../src/wire/native-coin.ts'
import { dai, everywhere, feed, usdc, usdt } from './everywhere.ts'
import type { Preset } from './preset.ts'

export const polygon: Preset = {
  chainId: 137,
  chain: { ...chains[137], native: nativeCoin(137), blockMs: 2000, sources: ['viem'] },
  confirmations: {
    blocks: 32,
    why: 'Milestones (PIP-11) make blocks final soon after them, where otherwise a checkpoint of about 512 blocks would; 32 blocks, about a minute, normally have a milestone behind them.',
    sources: ['polygon-finality'],
  },
  maxFeeGwei: 5_000,
  tokens: [
    usdc(
      '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359',
      { eip3009: { name: 'USD Coin', version: '2' } },
      'x402',
      'viem',
      'uniswap-list',
      'aave',
    ),
    usdt('0xc2132D05D31c914a87C6611C10748AEb04B58e8F', 6, 'uniswap-list', 'aave'),
    { address: null, symbol: 'POL', name: 'POL', decimals: 18, sources: ['viem'] },
    dai('0x8f3Cf7ad23Cd3CaDbD9735AFf958023239c6A063', 'uniswap-list', 'aave'),
  ],
  contracts: {
    ...everywhere,
    uniswapV3Factory: { address: '0x1F98431c8aD98523631AE4a59f267346ea31F984', sources: ['uniswap-sdk', 'uniswap-docs'] },
    uniswapSwapRouter02: { address: '0x68b3465833fb72A70ecDF485E0e4C7bD8665Fc45', sources: ['uniswap-sdk', 'uniswap-docs'] },
    uniswapQuoterV2: { address: '0x61fFE014bA17989E743c5F6cB21bF9697530B21e', sources: ['uniswap-router', 'uniswap-docs'] },
    wrappedCoin: { address: '0x0d500B1d8E8eF31E21C99d1Db9A6444d3ADf1270', sources: ['uniswap-sdk', 'uniswap-docs'] },
    uniswapV4PoolManager: { address: '0x67366782805870060151383F4BbFF9daB53e5cD6', sources: ['uniswap-sdk'] },
    uniswapV4Quoter: { address: '0xb3d5c3Dfc3a7aEbFF71895A7191796BFFc2c81b9', sources: ['uniswap-sdk'] },
  },
  feeds: [
    feed('ETH / USD', '0xF9680D99D6C9589e2a93a78A04A279e509205945', 'chainlink', 'chainlink-datafeed'),
    feed('USDC / USD', '0xfE4A8cc5b5B2366C1B58Bea3858e81843581b2F7', 'chainlink', 'chainlink-datafeed'),
    feed('USDT / USD', '0x0A6513e40db6EB1b165753AD52E80663aeA50545', 'chainlink', 'chainlink-datafeed'),
    feed('DAI / USD', '0x4746DeC9e833A82EC7C2C1356372CcF2cfcD2F3D', 'chainlink', 'chainlink-datafeed'),
    feed('BTC / USD', '0xc907E116054Ad103354f2D350FD2514433D57F6f', 'chainlink', 'chainlink-datafeed'),
    feed('SOL / USD', '0x10C8264C0935b3B9870013e057f330Ff3e9C56dC', 'chainlink', 'chainlink-datafeed'),
    feed('EUR / USD', '0x73366Fe0AA0Ded304479862808e02506FE556a98', 'chainlink', 'chainlink-datafeed'),
    feed('GBP / USD', '0x099a2540848573e94fb1Ca0Fa420b00acbBc845a', 'chainlink', 'chainlink-datafeed'),
    feed('MXN / USD', '0x171b16562EA3476F5C61d1b8dad031DbA0768545', 'chainlink', 'chainlink-datafeed'),
    feed('BRL / USD', '0xB90DA3ff54C3ED09115abf6FbA0Ff4645586af2c', 'chainlink', 'chainlink-datafeed'),
    feed('COP / USD', '0xfAA9147190c2C2cc5B8387B4f49016bDB3380572', 'chainlink', 'chainlink-datafeed'),
  ],
  leftOut: [
    'The wrapped coin (0x0d50…1270): Uniswap calls it WMATIC, Aave WPOL.',
    'POL / USD: Chainlink’s table has the feed of this address as MATIC / USD.',
    'EIP-2612: no package says which tokens have it.',
  ],
}
