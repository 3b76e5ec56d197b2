import { UniversalProvider } from '@walletconnect/universal-provider'
import { chainFacts, chainIds } from '../../wire/chain-facts.ts'
import type { WalletRelay } from '../../wire/boot.ts'
import { WalletRefusal } from './provider.ts'
import type { Wallet } from './wallets.ts'

/**
 * A wallet on another device is reached through a relay (WalletConnect), which cannot read the requests, and is used like any other wallet.
 * 1. Keys and sessions are only in memory, so they last only as long as this page.
 * 2. The page has no telemetry and no frame of WalletConnect.
 * 3. A code or session that is still valid is used again, so that a payer who goes back and forth need not pair again.
 * 4. Reads of the chain are refused, because a paired wallet is not a node.
 */
export interface Pairing {
  readonly uri: string
  /** The code was created at this time, in unix milliseconds. Codes expire. */
  readonly madeAt: number
  readonly wallet: Promise<Wallet>
}

type Client = InstanceType<typeof UniversalProvider>['client']
type Session = ReturnType<Client['session']['get']>

export interface About {
  readonly merchant: string
  /** The wallet should pay on this chain if it supports it. */
  readonly chainId: number | undefined
}

const methods = ['eth_signTypedData_v4', 'eth_sendTransaction']
/** A relay that has not returned a code within this time counts as unreachable. */
const codeMs = 15_000
/** Codes are valid for five minutes. An older code than this is replaced, so that the payer always has time to scan it. */
const freshMs = 180_000

let client: Promise<Client> | undefined
let connected: { readonly session: Session; readonly wallet: Wallet } | undefined
let waiting: Pairing | undefined

export const pair = async (relay: WalletRelay, about: About): Promise<Wallet | Pairing> => {
  if (connected) return connected.wallet
  if (waiting && Date.now() - waiting.madeAt > freshMs) waiting = undefined
  return (waiting ??= await propose(relay, about))
}

const propose = async (relay: WalletRelay, about: About): Promise<Pairing> => {
  const pairing = await withTimeout(codeMs, requestPairing(relay, about)).catch(() => {
    throw new WalletRefusal('unreachable')
  })
  const forget = () => {
    if (waiting?.uri === pairing.uri) waiting = undefined
  }
  pairing.wallet.then(forget, forget)
  return pairing
}

const requestPairing = async (relay: WalletRelay, about: About): Promise<Pairing> => {
  const { merchant } = about
  client ??= connectClient(relay, merchant)
  client.catch(() => (client = undefined))
  const ours = await client
  const { uri, approval } = await ours.connect({
    optionalNamespaces: {
      eip155: {
        chains: chainIds.filter((id) => chainFacts(id)?.family === 'evm').map((id) => `eip155:${id}`),
        methods,
        events: ['chainChanged', 'accountsChanged'],
      },
    },
  })
  if (!uri) throw new Error('the relay returned no code')
  const wallet = approval().then(
    (session) => {
      connected = { session, wallet: walletOf(ours, session, about) }
      return connected.wallet
    },
    // A wallet that refuses returns an error code of at least 4000. Any other error means that no wallet answered in time.
    (error: unknown) => {
      throw typeof error === 'object' && error !== null && 'code' in error && Number(error.code) >= 4000
        ? error
        : new WalletRefusal('pairing_expired')
    },
  )
  return { uri, wallet, madeAt: Date.now() }
}

const connectClient = async ({ url, project }: WalletRelay, merchant: string): Promise<Client> => {
  const { client: created } = await UniversalProvider.init({
    relayUrl: url,
    projectId: project,
    metadata: { name: merchant, description: '', url: location.origin, icons: [`${location.origin}/icon.png`] },
    storage: inMemory(),
    logger: 'silent',
    telemetryEnabled: false,
  })
  // `register` would add a frame from another origin, which our policy blocks, and then wait five seconds for it.
  created.core.verify.register = async () => ''
  addEventListener('pagehide', ({ persisted }) => !persisted && connected?.wallet.leave?.())
  return created
}

const inMemory = () => {
  const kept = new Map<string, unknown>()
  return {
    getKeys: async () => [...kept.keys()],
    getEntries: async <T>() => [...kept] as [string, T][],
    getItem: async <T>(key: string) => kept.get(key) as T | undefined,
    setItem: async (key: string, value: unknown) => void kept.set(key, value),
    removeItem: async (key: string) => void kept.delete(key),
  }
}

const walletOf = (ours: Client, { topic, peer }: Session, { chainId }: About): Wallet => {
  /** This is read on every call, because a wallet may change the accounts that it shares with this page. */
  const accounts = () =>
    (ours.session.keys.includes(topic) ? (ours.session.get(topic).namespaces.eip155?.accounts ?? []) : []).map((account) => {
      const [, chain, address = ''] = account.split(':')
      return { chain: Number(chain), address }
    })
  let current = accounts().find(({ chain }) => chain === chainId)?.chain ?? accounts()[0]?.chain ?? 0
  const ended = new Promise<never>((_, reject) => {
    const end = (event: { topic: string }) => {
      if (event.topic !== topic) return
      if (connected?.session.topic === topic) connected = undefined
      reject(new WalletRefusal('disconnected'))
    }
    ours.on('session_delete', end)
    ours.on('session_expire', end)
  })
  ended.catch(() => undefined)
  const request = async ({ method, params }: { readonly method: string; readonly params?: unknown }): Promise<unknown> => {
    switch (method) {
      case 'eth_requestAccounts':
      case 'eth_accounts':
        return accounts().flatMap(({ chain, address }) => (chain === current ? [address] : []))
      case 'eth_chainId':
        return `0x${current.toString(16)}`
      case 'wallet_switchEthereumChain':
      case 'wallet_addEthereumChain': {
        const wanted = Number((params as [{ chainId: string }])[0].chainId)
        // The session lists the wallet's networks, and the page cannot add others to it.
        if (!accounts().some(({ chain }) => chain === wanted)) throw new WalletRefusal('network')
        current = wanted
        return null
      }
      case 'eth_signTypedData_v4':
      case 'eth_sendTransaction':
        if (connected?.session.topic !== topic) throw new WalletRefusal('disconnected')
        return Promise.race([
          ours.request({ topic, chainId: `eip155:${current}`, request: { method, params: params as unknown[] } }),
          ended,
        ])
      default:
        throw new WalletRefusal('failed')
    }
  }
  return {
    rdns: 'remote',
    name: peer.metadata.name.slice(0, 40),
    provider: { request },
    usedBefore: false,
    open: safeAppUrl(peer.metadata.redirect?.universal) ?? safeAppUrl(peer.metadata.redirect?.native),
    leave: () => {
      if (connected?.session.topic !== topic) return
      connected = undefined
      void ours.disconnect({ topic, reason: { code: 6000, message: 'User disconnected.' } }).catch(() => undefined)
    },
  }
}

const withTimeout = async <T>(ms: number, work: Promise<T>): Promise<T> => {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => (timer = setTimeout(reject, ms, new Error('late'))))
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

/** The wallet is not trusted, so schemes that could run code in this browser, or lead to files or unencrypted pages, are refused. */
const safeAppUrl = (address: unknown): string | undefined => {
  if (typeof address !== 'string' || address.length > 200 || !URL.canParse(address)) return undefined
  const { protocol } = new URL(address)
  const isForbiddenScheme = /^(javascript|data|blob|file|filesystem|about|http|ws|wss|view-source|vbscript|intent|content):$/.test(protocol)
  return isForbiddenScheme ? undefined : address
}
