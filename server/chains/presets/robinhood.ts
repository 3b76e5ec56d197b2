import { chains } from '../../../src/wire/chain.ts'
import { nativeCoin } from '../../../src/wire/native-coin.ts'
import { ether, everywhere, wrappedEther } from './everywhere.ts'
import type { Preset } from './preset.ts'

export const robinhood: Preset = {
  chainId: 4663,
  chain: { ...chains[4663], native: nativeCoin(4663), blockMs: 100, sources: ['viem', 'robinhood-docs'] },
  confirmations: {
    blocks: 200,
    why: 'One sequencer orders the blocks, and they change only if it fails before their data is on Ethereum, or if Ethereum reorganises. 20 seconds are a choice between that risk and the payer’s wait; finality takes as long as that of the Ethereum block with the data.',
    sources: ['arbitrum-finality'],
  },
  maxFeeGwei: 50,
  tokens: [ether, wrappedEther('0x0Bd7D308f8E1639FAb988df18A8011f41EAcAD73', 'uniswap-sdk', 'robinhood-docs')],
  contracts: {
    ...everywhere,
    uniswapV3Factory: { address: '0x1f7d7550B1b028f7571E69A784071F0205FD2EfA', sources: ['uniswap-sdk', 'uniswap-docs'] },
    uniswapSwapRouter02: { address: '0xCaf681a66D020601342297493863E78C959E5cb2', sources: ['uniswap-sdk', 'uniswap-docs'] },
    uniswapQuoterV2: { address: '0x33e885eD0Ec9bF04EcfB19341582aADCb4c8A9E7', sources: ['uniswap-sdk', 'uniswap-docs'] },
    wrappedCoin: { address: '0x0Bd7D308f8E1639FAb988df18A8011f41EAcAD73', sources: ['uniswap-sdk', 'robinhood-docs'] },
    uniswapV4PoolManager: { address: '0x8366a39CC670B4001A1121B8F6A443A643e40951', sources: ['uniswap-sdk'] },
    uniswapV4Quoter: { address: '0x8Dc178eFB8111BB0973Dd9d722ebeFF267c98F94', sources: ['uniswap-sdk'] },
  },
  feeds: [],
  leftOut: [
    'USDG (0x5fc5360D0400a0Fd4f2af552ADD042D716F1d168): the chain’s own pages name its address, nothing that can be installed its decimals or its EIP-712 domain.',
    'USDC, USDT and DAI: no package has them on this chain.',
    'Price feeds: no package has any on this chain.',
  ],
}
