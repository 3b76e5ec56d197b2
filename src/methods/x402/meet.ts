import type { Connection } from './connection.ts'
import type { Notice } from './notice.ts'
import { refusalOf } from './provider.ts'
import { discover, remember, type Wallet } from './wallets.ts'

/** What is common to every payment by a wallet: find it and be let in. */
export type MeetStep =
  | { readonly at: 'list'; readonly wallets: readonly Wallet[]; readonly looking: boolean; readonly notice?: Notice }
  | { readonly at: 'connecting'; readonly wallet: Wallet; readonly slow: boolean }

/** From here on a payer wonders whether anything still happens. */
export const slowMs = 20_000

const loadConnection = () => import('./connection.ts')

export async function* list(signal: AbortSignal, notice?: Notice): AsyncGenerator<MeetStep, void> {
  // By the time a wallet is chosen, what talks to it should be here.
  void loadConnection().catch(() => undefined)
  const said: (readonly Wallet[])[] = []
  let wake = () => {}
  discover((wallets) => {
    said.push(wallets)
    wake()
  }, signal)
  signal.addEventListener('abort', () => wake(), { once: true })
  yield { at: 'list', wallets: [], looking: true, notice }
  while (!signal.aborted) {
    const wallets = said.splice(0).at(-1)
    if (wallets) yield { at: 'list', wallets, looking: false, notice }
    else await new Promise<void>((resolve) => (wake = resolve))
  }
}

/** Undefined: it did not let us in, and the list says why. */
export async function* meet(wallet: Wallet, signal: AbortSignal): AsyncGenerator<MeetStep, Connection | undefined> {
  yield { at: 'connecting', wallet, slow: false }
  try {
    const asked = loadConnection().then(({ connect }) => connect(wallet))
    if (await isSlow(asked)) yield { at: 'connecting', wallet, slow: true }
    const connection = await asked
    remember(wallet)
    return connection
  } catch (error) {
    yield* list(signal, { code: refusalOf(error) })
    return undefined
  }
}

/** True when it takes long; whether it ends well is for whoever awaits it. */
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
