import { chains } from '../../../src/wire/chain.ts'
import { nativeCoin } from '../../../src/wire/native-coin.ts'
import { dai, ether, everywhere, feed, usdc, usdt, wrappedEther } from './everywhere.ts'
import type { Preset } from './preset.ts'

export const optimism: Preset = {
  chainId: 10,
  chain: { ...chains[10], native: nativeCoin(10), blockMs: 2000, sources: ['viem'] },
  confirmations: {
    blocks: 12,
    why: 'One sequencer orders the blocks, and they change only if it fails before their data is on Ethereum, or if Ethereum reorganises. 24 seconds are a choice between that risk and the payer’s wait; finality takes 20 to 30 minutes.',
    sources: ['op-finality'],
  },
  maxFeeGwei: 50,
  tokens: [
    usdc('0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85', {}, 'viem', 'uniswap-list', 'aave'),
    usdt('0x94b008aA00579c1307B0EF2c499aD98a8ce58e58', 6, 'uniswap-list', 'aave'),
    ether,
    wrappedEther('0x4200000000000000000000000000000000000006', 'uniswap-sdk', 'uniswap-list', 'aave'),
    dai('0xDA10009cBd5D07dd0CeCc66161FC93D7c9000da1', 'uniswap-list', 'aave'),
  ],
  contracts: {
    ...everywhere,
    uniswapV3Factory: { address: '0x1F98431c8aD98523631AE4a59f267346ea31F984', sources: ['uniswap-sdk', 'uniswap-docs'] },
    uniswapSwapRouter02: { address: '0x68b3465833fb72A70ecDF485E0e4C7bD8665Fc45', sources: ['uniswap-sdk', 'uniswap-docs'] },
    uniswapQuoterV2: { address: '0x61fFE014bA17989E743c5F6cB21bF9697530B21e', sources: ['uniswap-router', 'uniswap-docs'] },
    wrappedCoin: { address: '0x4200000000000000000000000000000000000006', sources: ['uniswap-sdk', 'uniswap-docs'] },
    uniswapV4PoolManager: { address: '0x9a13F98Cb987694C9F086b1F5eB990EeA8264Ec3', sources: ['uniswap-sdk'] },
    uniswapV4Quoter: { address: '0x1f3131A13296FB91C90870043742C3CDBFF1A8d7', sources: ['uniswap-sdk'] },
  },
  sequencer: { address: '0x371EAD81c9102C9BF4874A9075FFFf170F2Ee389', sources: ['chainlink-docs'] },
  feeds: [
    feed('ETH / USD', '0x13e3Ee699D1909E989722E753853AE30b17e08c5', 'chainlink', 'chainlink-datafeed'),
    feed('USDC / USD', '0x16a9FA2FDa030272Ce99B29CF780dFA30361E0f3', 'chainlink', 'chainlink-datafeed'),
    feed('USDT / USD', '0xECef79E109e997bCA29c1c0897ec9d7b03647F5E', 'chainlink', 'chainlink-datafeed'),
    feed('DAI / USD', '0x8dBa75e83DA73cc766A7e5a0ee71F656BAb470d6', 'chainlink', 'chainlink-datafeed'),
    feed('BTC / USD', '0xD702DD976Fb76Fffc2D3963D037dfDae5b04E593', 'chainlink', 'chainlink-datafeed'),
    feed('SOL / USD', '0xC663315f7aF904fbbB0F785c32046dFA03e85270', 'chainlink', 'chainlink-datafeed'),
    feed('EUR / USD', '0x3626369857A10CcC6cc3A6e4f5C2f5984a519F20', 'chainlink', 'chainlink-datafeed'),
    feed('BRL / USD', '0xB22900D4D0CEa5DB0B3bb08565a9f0f4a831D32C', 'chainlink', 'chainlink-datafeed'),
  ],
  leftOut: [
    'USDC’s EIP-712 domain: the tables of x402 do not name this chain, so USDC is not paid by signature here.',
    'EIP-2612: no package says which tokens have it.',
  ],
}
