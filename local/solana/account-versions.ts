import type { Address, EncodedAccount } from '@solana/kit'

export interface Version {
  readonly slot: number
  /** It is undefined while the account does not exist. */
  readonly account: EncodedAccount | undefined
}

/** The states of every account that has changed, by the slot that changed it, so that reads of an older slot and forks are exact. */
export interface AccountVersions {
  /** Returns the state at the end of this slot, or undefined if the account has never changed. */
  at(address: Address, slot: number): Version | undefined
  /** Records a change. `before` counts if it is the first one. */
  write(address: Address, slot: number, before: EncodedAccount | undefined, after: EncodedAccount | undefined): void
  /** Drops what was written after this slot, and returns the accounts that changed with it, in their earlier states. */
  revert(slot: number): ReadonlyMap<Address, Version>
  /** Drops states that nobody reads any more once this slot is final. */
  prune(slot: number): void
}

export function accountVersions(): AccountVersions {
  const versions = new Map<Address, Version[]>()
  /** Only these have more than one version. */
  const recent = new Set<Address>()
  return {
    at: (address, slot) => versions.get(address)?.findLast((version) => version.slot <= slot),
    write(address, slot, before, account) {
      const known = versions.get(address) ?? [{ slot: -1, account: before }]
      const last = known.at(-1)
      versions.set(address, [...(last?.slot === slot ? known.slice(0, -1) : known), { slot, account }])
      recent.add(address)
    },
    revert(slot) {
      const reverted = new Map<Address, Version>()
      for (const address of recent) {
        const known = versions.get(address) ?? []
        const kept = known.filter((version) => version.slot <= slot)
        const [last] = kept.slice(-1)
        if (!last || kept.length === known.length) continue
        versions.set(address, kept)
        reverted.set(address, last)
      }
      return reverted
    },
    prune(slot) {
      for (const address of recent) {
        const known = versions.get(address) ?? []
        const first = known.findLastIndex((version) => version.slot <= slot)
        const kept = first > 0 ? known.slice(first) : known
        versions.set(address, kept)
        if (kept.length === 1) recent.delete(address)
      }
    },
  }
}
