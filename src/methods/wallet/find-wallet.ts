import type { FlowPorts } from '../method.ts'
import { connect, type Connection } from './connected-wallet.ts'
import type { Notice } from './notice.ts'
import { refusalOf } from './provider.ts'
import { payableOn } from './payable-on.ts'
import type { SolanaWallet } from './solana/standard-wallets.ts'
import { discover, remember, type Wallet } from './wallets.ts'

/** These steps find a wallet and connect to it. A payment from a wallet begins with them, unless a stored signature is sent again. */
export type FindStep =
  | {
      readonly at: 'list'
      readonly wallets: readonly Wallet[]
      /** It is empty if the order cannot be paid there. */
      readonly onSolana: readonly SolanaWallet[]
      readonly looking: boolean
      readonly remote: boolean
      readonly notice?: Notice
    }
  /** The view shows a code for a wallet on another device. `uri` is undefined while the relay creates the code. */
  | { readonly at: 'pairing'; readonly uri: string | undefined }
  | { readonly at: 'connecting'; readonly wallet: Wallet; readonly slow: boolean }

/** After this time the view says that the wallet is slow, so that the payer knows that the page still works. */
export const slowMs = 20_000

export async function* listWallets(ports: FlowPorts, signal: AbortSignal, notice?: Notice): AsyncGenerator<FindStep, void> {
  const isOnEvm = payableOn(ports.order(), 'evm').length > 0
  const at = { at: 'list', remote: isOnEvm && ports.walletRelay !== undefined, notice } as const
  let wallets: readonly Wallet[] | undefined = isOnEvm ? undefined : []
  let onSolana: readonly SolanaWallet[] = []
  let isChanged = true
  let wake = () => {}
  const change = () => {
    isChanged = true
    wake()
  }
  if (payableOn(ports.order(), 'solana').length > 0) {
    const report = (found: readonly SolanaWallet[]) => {
      onSolana = found
      change()
    }
    // Without that code only the other wallets are listed.
    import('./solana/standard-wallets.ts').then(
      ({ discoverOnSolana }) => signal.aborted || discoverOnSolana(report, signal),
      () => undefined,
    )
  }
  if (isOnEvm)
    discover((found) => {
      wallets = found
      change()
    }, signal)
  signal.addEventListener('abort', () => wake(), { once: true })
  while (!signal.aborted) {
    if (isChanged) {
      isChanged = false
      yield { ...at, wallets: wallets ?? [], onSolana, looking: wallets === undefined }
    } else await new Promise<void>((resolve) => (wake = resolve))
  }
}

/** Returns undefined if the wallet did not connect. The list that it has yielded then shows the reason. */
export async function* connectWallet(
  ports: FlowPorts,
  wallet: Wallet,
  signal: AbortSignal,
): AsyncGenerator<FindStep, Connection | undefined> {
  yield { at: 'connecting', wallet, slow: false }
  try {
    const connecting = connect(wallet)
    if (await isSlow(connecting)) yield { at: 'connecting', wallet, slow: true }
    const connection = await connecting
    remember(wallet)
    return connection
  } catch (error) {
    yield* listWallets(ports, signal, { code: refusalOf(error) })
    return undefined
  }
}

/** Connects to a wallet on another device. Returns undefined if that failed or the payer left. */
export async function* pairWallet(
  ports: FlowPorts,
  chainId: number | undefined,
  signal: AbortSignal,
): AsyncGenerator<FindStep, Wallet | undefined> {
  if (!ports.walletRelay) return undefined
  yield { at: 'pairing', uri: undefined }
  try {
    const remote = await import('./wallet-connect.ts')
    const result = await remote.pair(ports.walletRelay, { merchant: ports.order().organization_name?.trim() || location.hostname, chainId })
    if ('provider' in result) return signal.aborted ? undefined : result
    yield { at: 'pairing', uri: result.uri }
    const wallet = await result.wallet
    return signal.aborted ? undefined : wallet
  } catch (error) {
    if (!signal.aborted) yield* listWallets(ports, signal, { code: error instanceof TypeError ? 'unreachable' : refusalOf(error) })
    return undefined
  }
}

/** Resolves to true if the work takes longer than `slowMs`. A failure counts as quick, because the caller awaits the work itself too. */
export const isSlow = async (work: Promise<unknown>): Promise<boolean> => {
  let timer: ReturnType<typeof setTimeout> | undefined
  const ended = work.then(
    () => false,
    () => false,
  )
  const late = new Promise<boolean>((resolve) => (timer = setTimeout(resolve, slowMs, true)))
  const slow = await Promise.race([ended, late])
  clearTimeout(timer)
  return slow
}
