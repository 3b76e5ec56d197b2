import type { BrowserContext, Page } from 'playwright-core'
import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'

/** Injects EIP-6963 wallets into every page of a context. They record the requested methods. */
export interface Injected {
  readonly name: string
  readonly requests: string[]
  /** How it treats the next requests. It can change at any time. */
  behavior: WalletBehavior
}

export type WalletBehavior =
  | 'willing'
  | 'rejecting'
  | 'busy'
  | 'locked'
  | 'silent'
  | { readonly slowMs: number }
  | { readonly after: Promise<void> }

export interface InjectedOptions {
  readonly name: string
  readonly privateKey: string
  readonly rpcUrl: string
  /** Nodes of other chains that it can use, by chain id. */
  readonly rpcUrls?: Readonly<Record<number, string>>
  readonly chainId?: number
  /** Its account is this contract (TestSender), which the key controls. */
  readonly contract?: string
  /** It takes batches of calls (EIP-5792). */
  readonly batches?: boolean
  readonly behavior?: WalletBehavior
  /** Networks that it knows without adding them. */
  readonly knows?: readonly number[]
  /** It has only the legacy `window.ethereum` and no announcement. */
  readonly old?: boolean
  readonly icon?: string
}

const asksPayer = new Set(['eth_requestAccounts', 'eth_signTypedData_v4', 'eth_sendTransaction', 'wallet_sendCalls'])

export async function injectWallet(context: BrowserContext, options: InjectedOptions): Promise<Injected> {
  const { name, privateKey, rpcUrl, old = false } = options
  const account = privateKeyToAccount(privateKey as Hex)
  let chainId = options.chainId ?? 8453
  const known = new Set(options.knows ?? [1, 8453, 10, 137])
  const wallet: Injected = { name, requests: [], behavior: options.behavior ?? 'willing' }
  const refuse = (code: number, message: string) => ({ error: { code, message } })
  const nodeUrl = () => options.rpcUrls?.[chainId] ?? rpcUrl
  const batches = new Map<string, string>()

  const send = async ({ to, data, value, nonce }: { to: Hex; data?: Hex; value?: string; nonce?: Hex }): Promise<Hex> => {
    const { createWalletClient, encodeFunctionData, http, parseAbi } = await import('viem')
    const amount = BigInt(value ?? 0)
    const call = options.contract
      ? {
          to: options.contract as Hex,
          data: encodeFunctionData({
            abi: parseAbi(['function execute(address target, uint256 value, bytes data)']),
            args: [to, amount, data ?? '0x'],
          }),
        }
      : { to, data, value: amount }
    return createWalletClient({ account, transport: http(nodeUrl()) }).sendTransaction({
      ...call,
      // A contract's own nonce says nothing about that of the key that controls it.
      ...(nonce && !options.contract && { nonce: Number(nonce) }),
      chain: null,
    })
  }

  const request = async (_: unknown, method: string, params: unknown[] = []): Promise<unknown> => {
    wallet.requests.push(method)
    if (asksPayer.has(method)) {
      const { behavior } = wallet
      if (behavior === 'rejecting') return refuse(4001, 'User rejected the request.')
      if (behavior === 'busy') return refuse(-32002, `Request of type '${method}' already pending.`)
      if (behavior === 'locked') return refuse(4100, 'The wallet is locked.')
      if (behavior === 'silent') return new Promise(() => {})
      if (typeof behavior === 'object')
        await ('after' in behavior ? behavior.after : new Promise((resolve) => setTimeout(resolve, behavior.slowMs)))
    }
    switch (method) {
      case 'eth_requestAccounts':
      case 'eth_accounts':
        return { result: [options.contract ?? account.address] }
      case 'eth_chainId':
        return { result: `0x${chainId.toString(16)}` }
      case 'wallet_switchEthereumChain': {
        const wanted = Number((params[0] as { chainId: string }).chainId)
        if (!known.has(wanted)) return refuse(4902, 'Unrecognized chain ID.')
        chainId = wanted
        return { result: null }
      }
      case 'wallet_addEthereumChain':
        chainId = Number((params[0] as { chainId: string }).chainId)
        known.add(chainId)
        return { result: null }
      case 'eth_signTypedData_v4':
        return { result: await account.signTypedData(JSON.parse(String(params[1])) as never) }
      case 'eth_sendTransaction':
        return { result: await send(params[0] as Parameters<typeof send>[0]) }
      case 'wallet_getCapabilities':
        return options.batches
          ? { result: { [`0x${chainId.toString(16)}`]: { atomic: { status: 'ready' } } } }
          : refuse(4200, 'Unknown method.')
      case 'wallet_sendCalls': {
        const { id, calls } = params[0] as { id: string; calls: Parameters<typeof send>[0][] }
        if (batches.has(id)) return refuse(5720, 'There is already a batch with this id.')
        batches.set(id, await send(calls[0]!))
        return { result: { id } }
      }
      case 'wallet_getCallsStatus': {
        const hash = batches.get(String(params[0]))
        return hash ? { result: { status: 200, receipts: [{ transactionHash: hash }] } } : refuse(5730, 'No batch has this id.')
      }
      default: {
        const response = await fetch(nodeUrl(), {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
        })
        return response.json()
      }
    }
  }
  const binding = `wallet_${name.replace(/\W/g, '')}`
  await context.exposeBinding(binding, request)
  await context.addInitScript(
    ([call, walletName, isOld, icon]) => {
      const provider = {
        request: async ({ method, params }: { method: string; params?: unknown[] }) => {
          const ask = (
            window as unknown as Record<
              string,
              (method: string, params?: unknown[]) => Promise<{ result?: unknown; error?: { code: number; message: string } }>
            >
          )[call as string]!
          const answer = await ask(method, params)
          if (answer.error) throw Object.assign(new Error(answer.error.message), { code: answer.error.code })
          return answer.result
        },
        on: () => {},
        removeListener: () => {},
      }
      if (isOld) {
        Object.assign(window, { ethereum: Object.assign(provider, { isMetaMask: true }) })
        return
      }
      const info = {
        uuid: crypto.randomUUID?.() ?? String(Math.random()),
        name: walletName,
        rdns: `test.${String(walletName).toLowerCase()}`,
        icon,
      }
      const announce = () =>
        window.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail: Object.freeze({ info, provider }) }))
      window.addEventListener('eip6963:requestProvider', announce)
    },
    [binding, name, old, options.icon ?? 'data:,'] as const,
  )
  return wallet
}

export const transfers = ({ requests }: Injected): number =>
  requests.filter((method) => method === 'eth_sendTransaction' || method === 'wallet_sendCalls').length

export const signatures = ({ requests }: Injected): number => requests.filter((method) => method === 'eth_signTypedData_v4').length

/** Opens the page and goes to the list of wallets. */
export async function toWallets(page: Page, url: string): Promise<void> {
  await page.goto(url)
  await page.getByRole('link', { name: /^W? ?Wallet/ }).click()
  await page.getByRole('heading', { name: 'Choose your wallet' }).waitFor()
}
