import type { Provider } from './provider.ts'
import { isRecord } from './read-funds.ts'

/** Before a payment, the page reads the network, balances and fee through the wallet. If a read fails, the payment goes on without that check. */

const paddedAddress = (address: string) => address.slice(2).toLowerCase().padStart(64, '0')
const wholeNumber = (value: unknown): bigint | undefined =>
  typeof value === 'string' && /^0x[0-9a-fA-F]{1,64}$/.test(value) ? BigInt(value) : undefined

const read = (provider: Provider, method: string, ...params: unknown[]): Promise<bigint | undefined> =>
  provider.request({ method, params }).then(wholeNumber, () => undefined)

export const chainOf = async (provider: Provider): Promise<number | undefined> => {
  const id = await provider.request({ method: 'eth_chainId' }).catch(() => undefined)
  return id === undefined ? undefined : Number(id)
}

/** If a wallet does not list its accounts, this assumes that the account has not changed. */
export const hasAccount = async (provider: Provider, account: string): Promise<boolean> => {
  const accounts = await provider.request({ method: 'eth_accounts' }).catch(() => undefined)
  if (!Array.isArray(accounts) || accounts.length === 0) return true
  return accounts.some((known) => String(known).toLowerCase() === account.toLowerCase())
}

export const balanceOf = (provider: Provider, token: string, owner: string): Promise<bigint | undefined> =>
  read(provider, 'eth_call', { to: token, data: `0x70a08231${paddedAddress(owner)}` }, 'latest')

export const coinOf = (provider: Provider, owner: string): Promise<bigint | undefined> => read(provider, 'eth_getBalance', owner, 'latest')

export const hexOf = (value: number): string => `0x${value.toString(16)}`

/** Counts the account's transactions in blocks, or with those that are pending. */
export const nonceOf = async (provider: Provider, owner: string, block: 'latest' | 'pending'): Promise<string | undefined> => {
  const nonce = await read(provider, 'eth_getTransactionCount', owner, block)
  return nonce === undefined ? undefined : hexOf(Number(nonce))
}

/** Wallets answer at once, but one that does not know the method may never answer. */
const capabilitiesMs = 2_000

/** Returns whether the wallet takes batches of calls (EIP-5792) from this account on this chain. */
export const takesBatches = async (provider: Provider, owner: string, chainId: number): Promise<boolean> => {
  const chain = hexOf(chainId)
  const late = new Promise<undefined>((resolve) => setTimeout(resolve, capabilitiesMs))
  const asked = provider.request({ method: 'wallet_getCapabilities', params: [owner, [chain]] }).catch(() => undefined)
  const capabilities = await Promise.race([asked, late])
  const ofChain = isRecord(capabilities) ? (capabilities[chain] ?? capabilities['0x0']) : undefined
  return isRecord(ofChain) && isRecord(ofChain.atomic)
}

export const transferCall = (token: string, from: string, to: string, amount: bigint) => ({
  from,
  to: token,
  data: `0xa9059cbb${paddedAddress(to)}${amount.toString(16).padStart(64, '0')}`,
  value: '0x0',
})

/** Returns the network fee of a transfer in the chain's native coin, or 'reverts' if the transfer would fail. */
export const costOf = async (provider: Provider, call: object): Promise<bigint | 'reverts' | undefined> => {
  const gas = await provider
    .request({ method: 'eth_estimateGas', params: [call] })
    .catch((error: unknown) => (isRevert(error) ? ('reverts' as const) : undefined))
  if (gas === 'reverts') return gas
  const [units, price] = [wholeNumber(gas), await read(provider, 'eth_gasPrice')]
  return units === undefined || price === undefined ? undefined : units * price
}

const isRevert = (error: unknown): boolean =>
  typeof error === 'object' &&
  error !== null &&
  (('code' in error && error.code === 3) || ('message' in error && /revert|exceeds balance/i.test(String(error.message))))
