/**
 * Where the rows of the presets come from. A package is named with the version that was read: its numbers were compared with the rows, and
 * test/chains/presets.test.ts compares those that are installed here again. Pages give the reasons for confirmations.
 */
export const sources = {
  viem: 'viem@2.57.1, viem/chains and viem/tokens',
  x402: '@x402/evm@2.27.0, DEFAULT_ASSETS and PERMIT2_ADDRESS',
  'x402-svm': '@x402/svm@2.27.0, USDC_MAINNET_ADDRESS, USDC_DEVNET_ADDRESS and the CAIP-2 names of the clusters',
  'solana-clusters': 'https://solana.com/docs/rpc/http/getgenesishash and https://chainagnostic.org/CAIPs/caip-30',
  'uniswap-list': '@uniswap/default-token-list@22.21.0',
  'uniswap-sdk': '@uniswap/sdk-core@7.19.4, WETH9 and CHAIN_TO_ADDRESSES_MAP',
  'uniswap-router': '@uniswap/smart-order-router@4.31.10, QUOTER_V2_ADDRESSES',
  'uniswap-docs': 'https://github.com/Uniswap/docs (content/protocols/v3/deployments)',
  aave: '@bgd-labs/aave-address-book@4.44.22, tokenlist.json',
  chainlink: '@chainlink/mcp-server@0.0.1-alpha.17, data/feeds',
  'chainlink-docs': 'https://docs.chain.link/data-feeds/l2-sequencer-feeds',
  'chainlink-datafeed': '@hypotenuselabs/ts-chainlink-datafeed@0.0.8',
  'robinhood-docs': 'https://docs.robinhood.com/chain/connecting and https://docs.robinhood.com/chain/contracts',
  'ethereum-finality': 'https://docs.chainstack.com/docs/ethereum-fast-confirmation',
  'op-finality':
    'https://github.com/ethereum-optimism/docs/pull/1093 (transaction-finality.mdx) and https://docs.celo.org/specs/finality.md',
  'arbitrum-finality': 'https://docs.arbitrum.io/how-arbitrum-works/reference/finality-and-reorgs',
  'bnb-finality': 'https://docs.bnbchain.org/bnb-smart-chain/developers/json_rpc/bsc-api-list/',
  'btcpay-speed': 'https://docs.btcpayserver.org/API/Greenfield/v1/ (SpeedPolicy: 1, 2 or 6 confirmations)',
  'polygon-finality': 'https://github.com/maticnetwork/Polygon-Improvement-Proposals/blob/main/PIPs/PIP-11.md',
} as const

export type Source = keyof typeof sources
