import { UniversalProvider } from '@walletconnect/universal-provider'
import { createWalletClient, type Hex, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { WalletBehavior } from './injected-wallets.ts'

/** A wallet on another device: the real WalletConnect client with a key and no user interface. */
export interface RemoteWallet {
  readonly requests: string[]
  readonly address: string
  behavior: WalletBehavior
  /** Acts as if the payer scanned the code. */
  scan(uri: string): Promise<void>
  /** Disconnects from the wallet's side. */
  end(): Promise<void>
  /** The number of sessions that the wallet has. */
  readonly sessions: () => number
  close(): Promise<void>
}

export interface RemoteOptions {
  readonly relayUrl: string
  readonly privateKey: string
  readonly rpcUrl: string
  readonly name?: string
  /** The networks that it allows a page to use. */
  readonly chainIds?: readonly number[]
  readonly redirect?: { readonly native?: string; readonly universal?: string }
}

interface Sent {
  readonly to: Hex
  readonly data: Hex
  readonly value: Hex
}

let count = 0

export async function startRemoteWallet({
  relayUrl,
  privateKey,
  rpcUrl,
  name = 'Pocket',
  chainIds = [1, 8453],
  redirect,
}: RemoteOptions): Promise<RemoteWallet> {
  const account = privateKeyToAccount(privateKey as Hex)
  const send = ({ to, data, value }: Sent) =>
    createWalletClient({ account, transport: http(rpcUrl) }).sendTransaction({ to, data, value: BigInt(value), chain: null })
  const kept = new Map<string, unknown>()
  const { client } = await UniversalProvider.init({
    relayUrl,
    projectId: 'test',
    customStoragePrefix: `wallet${++count}`,
    metadata: { name, description: '', url: 'https://wallet.test', icons: [], ...(redirect ? { redirect } : {}) },
    storage: {
      getKeys: async () => [...kept.keys()],
      getEntries: async <T>() => [...kept] as [string, T][],
      getItem: async <T>(key: string) => kept.get(key) as T | undefined,
      setItem: async (key: string, value: unknown) => void kept.set(key, value),
      removeItem: async (key: string) => void kept.delete(key),
    },
    logger: 'silent',
    telemetryEnabled: false,
  })
  const wallet: RemoteWallet = {
    requests: [],
    address: account.address,
    behavior: 'willing',
    scan: (uri) => client.pair({ uri }).then(() => undefined),
    end: async () => {
      for (const { topic } of client.session.getAll())
        await client.disconnect({ topic, reason: { code: 6000, message: 'User disconnected.' } })
    },
    sessions: () => client.session.length,
    close: async () => {
      client.core.heartbeat.stop()
      await client.core.relayer.transportClose().catch(() => undefined)
    },
  }
  client.on('session_proposal', async ({ id }) => {
    if (wallet.behavior === 'silent') return
    if (wallet.behavior === 'rejecting') return client.reject({ id, reason: { code: 5000, message: 'User rejected.' } })
    await client.approve({
      id,
      namespaces: {
        eip155: {
          accounts: chainIds.map((chainId) => `eip155:${chainId}:${account.address}`),
          chains: chainIds.map((chainId) => `eip155:${chainId}`),
          methods: ['eth_signTypedData_v4', 'eth_sendTransaction'],
          events: ['chainChanged', 'accountsChanged'],
        },
      },
    })
  })
  client.on('session_request', async ({ topic, id, params }) => {
    const { method, params: args } = params.request as { method: string; params: unknown[] }
    wallet.requests.push(method)
    const { behavior } = wallet
    if (behavior === 'silent') return
    if (behavior === 'rejecting')
      return client.respond({ topic, response: { id, jsonrpc: '2.0', error: { code: 5000, message: 'User rejected.' } } })
    const result =
      method === 'eth_signTypedData_v4' ? await account.signTypedData(JSON.parse(String(args[1])) as never) : await send(args[0] as Sent)
    await client.respond({ topic, response: { id, jsonrpc: '2.0', result } })
  })
  return wallet
}
