import type { Observer, Position, SeenTransfer } from '../../server/chains/feed.ts'

/** An observer without orders that remembers what a feed reports, and outlives every feed. */
export interface Notebook {
  readonly observer: Observer
  /** Counts the reports, so that a step of a feed without any is known to have waited. */
  reports(): number
  /** Returns the transfers to an address that are not gone, in the order in which they were first seen. */
  transfersTo(address: string): readonly Noted[]
  /** The keys of every transfer that was ever final. */
  readonly everFinal: ReadonlySet<string>
  watch(address: string): void
}

export interface Noted extends SeenTransfer {
  readonly state: 'pending' | 'final' | 'gone'
}

/** `interrupt` is called before and after each report has been written down, and may throw as a crash would. */
export function createNotebook(interrupt: () => void): Notebook {
  const watched = new Set<string>()
  const noted = new Map<string, Noted>()
  const everFinal = new Set<string>()
  let reports = 0

  const note = (transfer: SeenTransfer): void => {
    const state = transfer.confirmations >= transfer.needed ? 'final' : 'pending'
    if (state === 'final') everFinal.add(transfer.key)
    noted.set(transfer.key, { ...transfer, state })
  }
  const end = (transfer: Noted): void => void noted.set(transfer.key, { ...transfer, state: 'gone' })
  const standing = () => [...noted.values()].filter(({ state }) => state !== 'gone')
  const written = async <T>(work: () => T | Promise<T>): Promise<T> => {
    interrupt()
    const result = await work()
    reports++
    interrupt()
    return result
  }

  return {
    everFinal,
    reports: () => reports,
    watch: (address) => void watched.add(address),
    transfersTo: (address) => standing().filter(({ to }) => to === address),
    observer: {
      ours: (addresses) => written(() => new Set(addresses.filter((address) => watched.has(address)))),
      arrived: (transfers, replaced = []) =>
        written(() => {
          for (const { key } of replaced) {
            const before = noted.get(key)
            if (before) end(before)
          }
          for (const transfer of transfers) {
            if (!watched.has(transfer.to)) throw new Error(`${transfer.key} is to an address that is not ours`)
            const before = noted.get(transfer.key)
            if (!before || before.state === 'gone' || before.at?.id !== transfer.at?.id) note(transfer)
          }
        }),
      removedAfter: (last, _signal, { stayPending } = { stayPending: false }) =>
        written(() => {
          for (const { state: _, at, ...transfer } of standing()) {
            if (at && at.height <= last.height) continue
            if (stayPending) note({ ...transfer, confirmations: 0 })
            else end({ ...transfer, ...(at && { at }), state: 'pending' })
          }
        }),
      review: (_newest, judge) =>
        written(async () => {
          const pending = standing().filter(({ state }) => state === 'pending')
          const verdicts = await judge(pending.flatMap(({ at }): readonly Position[] => (at ? [at] : [])))
          for (const transfer of pending) {
            const verdict = verdicts.get(transfer.at?.id ?? '')
            if (verdict === 'gone') end(transfer)
            else if (verdict) note({ ...transfer, confirmations: verdict.confirmations })
          }
        }),
    },
  }
}
