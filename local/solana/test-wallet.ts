import {
  createKeyPairSignerFromBytes,
  getBase58Encoder,
  getBase64EncodedWireTransaction,
  getTransactionDecoder,
  partiallySignTransaction,
} from '@solana/kit'
import type { Hono } from 'hono'
import * as z from 'zod'
import { withScript } from '../with-script.ts'
import { decodeTransaction } from './wire-transaction.ts'
import type { LocalSolana } from './start-local-solana.ts'

const icon = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40"><rect width="40" height="40" fill="#0f766e"/><path d="M13 13h16l-3 4H10zm-3 5.5h16l3 4H13zm3 5.500h16l-3 4H10z" fill="#fff"/></svg>',
)}`

/** A funded wallet for developers who have none, which registers itself as wallets of Solana do (Wallet Standard). */
const script = (address: string): string => `(() => {
  const ask = async (act, { transaction }) => {
    const base64 = btoa(String.fromCharCode(...transaction))
    const response = await fetch('/test/solana-wallet', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ act, transaction: base64 }) })
    const answer = await response.json()
    if (answer.error) throw new Error(answer.error)
    return Uint8Array.from(atob(answer.result), (letter) => letter.charCodeAt(0))
  }
  const chains = ['solana:mainnet', 'solana:localnet']
  const features = ['solana:signTransaction', 'solana:signAndSendTransaction']
  const account = Object.freeze({ address: ${JSON.stringify(address)}, publicKey: new Uint8Array(32), chains, features })
  const version = '1.0.0'
  const supportedTransactionVersions = ['legacy', 0]
  const wallet = Object.freeze({
    version,
    name: 'Solana test wallet',
    icon: ${JSON.stringify(icon)},
    chains,
    accounts: [account],
    features: {
      'standard:connect': { version, connect: async () => ({ accounts: [account] }) },
      'solana:signTransaction': {
        version,
        supportedTransactionVersions,
        signTransaction: (...inputs) => Promise.all(inputs.map(async (input) => ({ signedTransaction: await ask('sign', input) }))),
      },
      'solana:signAndSendTransaction': {
        version,
        supportedTransactionVersions,
        signAndSendTransaction: (...inputs) => Promise.all(inputs.map(async (input) => ({ signature: await ask('send', input) }))),
      },
    },
  })
  const register = ({ register }) => register(wallet)
  addEventListener('wallet-standard:app-ready', ({ detail }) => register(detail))
  dispatchEvent(new CustomEvent('wallet-standard:register-wallet', { detail: register }))
})()
`

const path = '/test/solana-wallet.js'
const Ask = z.object({ act: z.enum(['sign', 'send']), transaction: z.base64().max(2_000) })

export function solanaTestWalletRoutes(app: Hono, { wallets, node }: Pick<LocalSolana, 'wallets' | 'node'>): void {
  const wallet = wallets.at(-1)
  if (!wallet) throw new Error('the local Solana has no wallets')
  const signer = createKeyPairSignerFromBytes(Uint8Array.from(getBase58Encoder().encode(wallet.secret)))
  app.get(
    path,
    () =>
      new Response(script(wallet.address), { headers: { 'content-type': 'text/javascript; charset=utf-8', 'cache-control': 'no-store' } }),
  )
  app.post('/test/solana-wallet', async (c) => {
    // A cross-origin page could only send this content type after a preflight, which we do not allow.
    const isJson = c.req.header('content-type')?.startsWith('application/json')
    const asked = Ask.safeParse(isJson ? await c.req.json().catch(() => undefined) : undefined)
    if (!asked.success) return c.json({ error: 'Send {act, transaction}.' }, 400)
    try {
      return c.json({ result: Buffer.from(await answer(asked.data)).toString('base64') })
    } catch (error) {
      return c.json({ error: error instanceof Error ? error.message : String(error) })
    }
  })

  /** Returns the signed transaction, or the signature of the one that was sent. */
  async function answer({ act, transaction }: z.output<typeof Ask>): Promise<Uint8Array> {
    const unsigned = getTransactionDecoder().decode(Buffer.from(transaction, 'base64'))
    const signed = await partiallySignTransaction([(await signer).keyPair], unsigned)
    const bytes = Buffer.from(getBase64EncodedWireTransaction(signed), 'base64')
    if (act === 'sign') return bytes
    const wire = decodeTransaction(bytes)
    const submitted = wire?.signature === undefined ? undefined : await node.ledger.submit(wire)
    if (wire?.signature === undefined || (submitted?.is !== 'landed' && submitted?.is !== 'known'))
      throw new Error(`The chain does not take this transaction: ${submitted?.is ?? 'it cannot be read'}.`)
    return Uint8Array.from(getBase58Encoder().encode(wire.signature))
  }
}

export const withSolanaTestWallet = withScript(path)
