import {
  createKeyPairSignerFromBytes,
  createSolanaRpc,
  getBase58Encoder,
  getBase64EncodedWireTransaction,
  getTransactionDecoder,
  partiallySignTransaction,
} from '@solana/kit'
import type { BrowserContext } from 'playwright-core'

/** A wallet of Solana in every page of a context, which registers itself by the Wallet Standard and records what it is asked. */
export interface InjectedStandardWallet {
  readonly address: string
  /** The transactions that it was asked to sign, in base64. */
  readonly asked: string[]
  /** How it treats the next requests. It can change at any time. */
  behavior: 'willing' | 'rejecting' | 'locked' | { readonly after: Promise<void> }
}

export interface StandardWalletOptions {
  readonly name: string
  /** The private key in the form that wallets import. */
  readonly secret: string
  readonly rpcUrl: string
}

interface Answer {
  readonly result?: string
  readonly error?: { readonly code: number; readonly message: string }
}

export async function injectStandardWallet(
  context: BrowserContext,
  { name, secret, rpcUrl }: StandardWalletOptions,
): Promise<InjectedStandardWallet> {
  const signer = await createKeyPairSignerFromBytes(Uint8Array.from(getBase58Encoder().encode(secret)))
  const rpc = createSolanaRpc(rpcUrl)
  const wallet: InjectedStandardWallet = { address: signer.address, asked: [], behavior: 'willing' }

  async function ask(_: unknown, act: 'connect' | 'sign' | 'send', transaction: string): Promise<Answer> {
    if (act === 'connect') return { result: wallet.behavior === 'locked' ? '' : signer.address }
    wallet.asked.push(transaction)
    const { behavior } = wallet
    if (typeof behavior === 'object') await behavior.after
    if (behavior === 'rejecting') return { error: { code: 4001, message: 'User rejected the request.' } }
    const unsigned = getTransactionDecoder().decode(Buffer.from(transaction, 'base64'))
    const signed = getBase64EncodedWireTransaction(await partiallySignTransaction([signer.keyPair], unsigned))
    if (act === 'sign') return { result: signed }
    const signature = await rpc.sendTransaction(signed, { encoding: 'base64' }).send()
    return { result: Buffer.from(getBase58Encoder().encode(signature)).toString('base64') }
  }

  const binding = `standard_${name.replace(/\W/g, '')}`
  await context.exposeBinding(binding, ask)
  await context.addInitScript(
    ([call, walletName]) => {
      const request = async (act: string, transaction?: Uint8Array) => {
        const bindings = window as unknown as Record<string, (act: string, transaction: string) => Promise<Answer>>
        const answer = await bindings[call]!(act, btoa(String.fromCharCode(...(transaction ?? []))))
        if (answer.error) throw Object.assign(new Error(answer.error.message), { code: answer.error.code })
        return answer.result ?? ''
      }
      const bytes = (base64: string) => Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
      const chains = ['solana:mainnet', 'solana:devnet']
      const accountOf = (address: string) => ({ address, publicKey: new Uint8Array(32), chains, features: [] })
      const wallet = {
        version: '1.0.0',
        name: walletName,
        icon: 'data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciLz4=',
        chains,
        accounts: [],
        features: {
          'standard:connect': {
            connect: async () => {
              const address = await request('connect')
              return { accounts: address ? [accountOf(address)] : [] }
            },
          },
          'solana:signTransaction': {
            signTransaction: async ({ transaction }: { transaction: Uint8Array }) => [
              { signedTransaction: bytes(await request('sign', transaction)) },
            ],
          },
          'solana:signAndSendTransaction': {
            signAndSendTransaction: async ({ transaction }: { transaction: Uint8Array }) => [
              { signature: bytes(await request('send', transaction)) },
            ],
          },
        },
      }
      interface Registry {
        register(wallet: object): void
      }
      const register = (registry: Registry) => registry.register(wallet)
      addEventListener('wallet-standard:app-ready', (event) => register((event as CustomEvent<Registry>).detail))
      dispatchEvent(new CustomEvent('wallet-standard:register-wallet', { detail: register }))
    },
    [binding, name] as const,
  )
  return wallet
}
