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
  readonly chainId?: number
  readonly behavior?: WalletBehavior
  /** Networks that it knows without adding them. */
  readonly knows?: readonly number[]
  /** It has only the legacy `window.ethereum` and no announcement. */
  readonly old?: boolean
  readonly icon?: string
}

const asksPayer = new Set(['eth_requestAccounts', 'eth_signTypedData_v4', 'eth_sendTransaction'])

export async function injectWallet(context: BrowserContext, options: InjectedOptions): Promise<Injected> {
  const { name, privateKey, rpcUrl, old = false } = options
  const account = privateKeyToAccount(privateKey as Hex)
  let chainId = options.chainId ?? 8453
  const known = new Set(options.knows ?? [1, 8453, 10, 137])
  const wallet: Injected = { name, requests: [], behavior: options.behavior ?? 'willing' }
  const refuse = (code: number, message: string) => ({ error: { code, message } })

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
        return { result: [account.address] }
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
      case 'eth_sendTransaction': {
        const { createWalletClient, http } = await import('viem')
        const { to, data, value } = params[0] as { to: Hex; data: Hex; value?: string }
        return {
          result: await createWalletClient({ account, transport: http(rpcUrl) }).sendTransaction({
            to,
            data,
            value: BigInt(value ?? 0),
            chain: null,
          }),
        }
      }
      default: {
        const response = await fetch(rpcUrl, {
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

export const signatures = ({ requests }: Injected): number => requests.filter((method) => method === 'eth_signTypedData_v4').length

/** Opens the page and goes to the list of wallets. */
export async function toWallets(page: Page, url: string): Promise<void> {
  await page.goto(url)
  await page.getByRole('link', { name: /^W? ?Wallet/ }).click()
  await page.getByRole('heading', { name: 'Choose your wallet' }).waitFor()
}
