import type { Hono } from 'hono'
import { createWalletClient, http, type Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import * as z from 'zod/mini'
import { withScript } from './with-script.ts'
import type { LocalChains } from './chains.ts'

const icon = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40"><rect width="40" height="40" fill="#5b3fd6"/><path d="M27 15v-4H12.5a3.5 3.5 0 0 0 0 7M9 14.5V26a3 3 0 0 0 3 3h19V18H12.5M26 23.5h.01" fill="none" stroke="#fff" stroke-width="2.5" stroke-linecap="round" stroke-linejoin="round"/></svg>',
)}`

/** This is a funded wallet for developers who have none. Anyone can compute its key, so it controls only money on throw-away chains. */
const script = (address: string): string => `(() => {
  let chain = 8453
  const post = async (call) => {
    const response = await fetch('/test/wallet', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ chain, ...call }) })
    const answer = await response.json()
    if (answer.error) throw Object.assign(new Error(answer.error.message), { code: answer.error.code })
    return answer.result
  }
  const request = async ({ method, params }) => {
    switch (method) {
      case 'eth_requestAccounts':
      case 'eth_accounts':
        return [${JSON.stringify(address)}]
      case 'eth_chainId':
        return '0x' + chain.toString(16)
      case 'wallet_switchEthereumChain':
        chain = Number(params[0].chainId)
        return null
      default:
        return post({ method, params })
    }
  }
  const info = Object.freeze({ uuid: '5d0f5f0e-7c11-4d0a-8f1e-2f1f6f6c7a11', name: 'Test wallet', rdns: 'test.till.wallet', icon: ${JSON.stringify(icon)} })
  const detail = Object.freeze({ info, provider: Object.freeze({ request, on() {}, removeListener() {} }) })
  const announce = () => dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }))
  addEventListener('eip6963:requestProvider', announce)
  announce()
})()
`

const path = '/test/wallet.js'

const Ask = z.object({ chain: z.int(), method: z.string().check(z.maxLength(40)), params: z.optional(z.array(z.unknown())) })
const Sent = z.object({ to: z.string(), data: z.optional(z.string()), value: z.optional(z.string()), nonce: z.optional(z.string()) })

/** The wallet forwards these calls to the chain unchanged. */
const reads = new Set([
  'eth_call',
  'eth_estimateGas',
  'eth_gasPrice',
  'eth_getBalance',
  'eth_blockNumber',
  'eth_getTransactionReceipt',
  'eth_getTransactionByHash',
  'eth_getCode',
  'eth_getTransactionCount',
])

export function testWalletRoutes(app: Hono, { anvils, accounts }: LocalChains): void {
  const key = accounts.at(-1)?.private_key
  if (!key) throw new Error('the local chains have no accounts')
  const account = privateKeyToAccount(key)
  app.get(
    path,
    () =>
      new Response(script(account.address), { headers: { 'content-type': 'text/javascript; charset=utf-8', 'cache-control': 'no-store' } }),
  )
  app.post('/test/wallet', async (c) => {
    // A cross-origin page could only send this content type after a preflight, which we do not allow.
    const ask = c.req.header('content-type')?.startsWith('application/json')
      ? z.safeParse(Ask, await c.req.json().catch(() => undefined))
      : undefined
    if (!ask?.success) return c.json({ error: { code: -32600, message: 'Send {chain, method, params}.' } }, 400)
    const { chain, method, params = [] } = ask.data
    const anvil = anvils.find(({ chainId }) => chainId === chain)
    if (!anvil) return c.json({ error: { code: 4902, message: 'This network is not here.' } })
    try {
      return c.json({ result: await answer(method, params) })
    } catch (error) {
      return c.json({ error: { code: -32603, message: error instanceof Error ? error.message : String(error) } })
    }

    async function answer(asked: string, args: readonly unknown[]): Promise<unknown> {
      if (!anvil) return null
      if (asked === 'eth_signTypedData_v4') return account.signTypedData(JSON.parse(String(args[1])) as never)
      if (asked === 'eth_sendTransaction') {
        const { to, data, value, nonce } = z.parse(Sent, args[0])
        const wallet = createWalletClient({ account, transport: http(anvil.rpcUrl) })
        return wallet.sendTransaction({
          to: to as Hex,
          data: data as Hex,
          value: BigInt(value ?? 0),
          ...(nonce !== undefined && { nonce: Number(nonce) }),
          chain: null,
        })
      }
      if (!reads.has(asked)) throw new Error(`The test wallet does not know ${asked}.`)
      const [result] = await anvil.ask([asked, ...args])
      return result
    }
  })
}

export const withTestWallet = withScript(path)
