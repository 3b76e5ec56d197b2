import { createConfig, injected } from '@wagmi/core'
import { connect as connectWagmi, signTypedData, switchChain } from 'wagmi/actions'
import { createClient, custom, type Chain } from 'viem'
import { chainFacts, chainIds } from '../../wire/chain-facts.ts'
import { nativeCoin } from '../../wire/native-coin.ts'
import { type Authorization, authorizationTypes, authorize } from './authorization.ts'
import type { Offer } from './offers.ts'
import type { Provider } from './provider.ts'
import type { Wallet } from './wallets.ts'

/** A connection exists once the wallet has given this page access to an account. */
export interface Connection {
  readonly from: `0x${string}`
  /** Builds the message to sign. It is a member, so that callers need not import the hashing code that it uses. */
  readonly authorize: (offer: Offer, orderId: string, now: number) => Authorization
  readonly switchTo: (chainId: number) => Promise<void>
  readonly sign: (offer: Offer, authorization: Authorization) => Promise<string>
}

/** A wallet that has to add a network needs a node, so the page suggests a public one. The wallet may use another. */
const publicNodes: Readonly<Record<number, string>> = {
  1: 'https://ethereum-rpc.publicnode.com',
  10: 'https://mainnet.optimism.io',
  56: 'https://bsc-dataseed.bnbchain.org',
  137: 'https://polygon-rpc.com',
  8453: 'https://mainnet.base.org',
  42161: 'https://arb1.arbitrum.io/rpc',
}

const chains = chainIds.flatMap((id): Chain[] => {
  const facts = chainFacts(id)
  if (facts?.family !== 'evm') return []
  const node = publicNodes[id]
  return [
    {
      id,
      name: facts.name,
      nativeCurrency: nativeCoin(id),
      rpcUrls: { default: { http: node ? [node] : [] } },
      blockExplorers: { default: { name: facts.name, url: facts.explorer } },
    },
  ]
}) as [Chain, ...Chain[]]

/** wagmi requires the event methods, which the browsers inside some wallet apps do not implement. */
const withEvents = (provider: Provider): Provider => ({
  request: (args) => provider.request(args),
  on: (event, listener) => provider.on?.(event, listener),
  removeListener: (event, listener) => provider.removeListener?.(event, listener),
})

export const connect = async (wallet: Wallet): Promise<Connection> => {
  const provider = withEvents(wallet.provider)
  const config = createConfig({
    chains,
    connectors: [],
    multiInjectedProviderDiscovery: false,
    storage: null,
    // All requests go to the wallet, because this page has no node of its own.
    client: ({ chain }) => createClient({ chain, transport: custom(provider as never) }),
  })
  const target = { id: wallet.rdns, name: wallet.name, provider: provider as never }
  const { accounts } = await connectWagmi(config, { connector: injected({ target: () => target, shimDisconnect: false }) })
  const [from] = accounts
  const [connector] = [...config.state.connections.values()].map(({ connector }) => connector)
  if (!connector) throw new Error('the wallet is not connected')
  return {
    from,
    authorize: (offer, orderId, now) => authorize(offer, from, orderId, now),
    switchTo: async (chainId) => {
      await switchChain(config, { chainId, connector })
    },
    sign: ({ chainId, token, domain }, authorization) =>
      signTypedData(config, {
        connector,
        account: from,
        domain: { ...domain, chainId, verifyingContract: token },
        types: authorizationTypes,
        primaryType: 'TransferWithAuthorization',
        message: {
          ...authorization,
          value: BigInt(authorization.value),
          validAfter: BigInt(authorization.validAfter),
          validBefore: BigInt(authorization.validBefore),
        },
      }),
  }
}
