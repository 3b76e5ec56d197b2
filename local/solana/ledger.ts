import { randomBytes } from 'node:crypto'
import { type Address, type EncodedAccount, getBase58Decoder, getPublicKeyFromAddress, verifySignature } from '@solana/kit'
import { accountVersions } from './account-versions.ts'
import { createRuntime, type Execution, type Simulated } from './runtime.ts'
import { tokenBalance, type TokenBalance } from './token-balance.ts'
import { decodeTransaction, feeOf, type WireTransaction, writableAddresses } from './wire-transaction.ts'

export type Commitment = 'processed' | 'confirmed' | 'finalized'

export interface Block {
  readonly slot: number
  readonly height: number
  readonly hash: string
  readonly parent: { readonly slot: number; readonly hash: string } | undefined
  readonly time: number
  readonly signatures: string[]
}

/** A transaction in a block. One that failed there has paid its fee, and has changed nothing else. */
export interface Landed extends Execution {
  readonly wire: WireTransaction
  readonly block: Block
  readonly fee: bigint
  readonly before: Balances
  readonly after: Balances
}

/** One entry for each address of the transaction. */
export interface Balances {
  readonly lamports: readonly bigint[]
  readonly tokens: readonly (TokenBalance | undefined)[]
}

export type Submitted =
  | { readonly is: 'landed'; readonly transaction: Landed }
  | { readonly is: 'known' | 'expired' | 'unpaid' | 'unsigned' }

/** A chain without consensus: one open slot takes transactions, and everything that a validator would vote on is certain at once. */
export interface Ledger {
  /** The newest block at this commitment. The open slot is processed, and the last one that was closed is confirmed. */
  tip(commitment: Commitment): Block
  /** Returns the account's state at this commitment, or at the end of a slot. */
  account(address: Address, at: Commitment | number): EncodedAccount | undefined
  /** Returns another object for each state of an account at this commitment, without reading the state. */
  stateOf(address: Address, at: Commitment): object | undefined
  rent(bytes: bigint): bigint
  /** A transaction names the hash of a recent block, and expires with it. */
  isRecent(hash: string, commitment: Commitment): boolean
  simulate(transaction: WireTransaction, isPartial: boolean): Simulated
  submit(transaction: WireTransaction): Promise<Submitted>
  landed(signature: string): Landed | undefined
  /** Lists the transactions that name this address, the newest first. */
  signaturesFor(address: Address): readonly string[]
  block(slot: number): Block | undefined
  /** Closes the open slot so many times. */
  advance(slots: number): void
  /** The next slots have no blocks. */
  skip(slots: number): void
  /** Drops the last closed blocks and the open one, and builds on what was before them. Slots are never used again. Returns what was in them. */
  fork(depth: number): readonly WireTransaction[]
  /** Writes an account directly. Only a new ledger needs that, for who pays everybody else. */
  give(address: Address, account: EncodedAccount): void
  /** Repeats what an earlier run of this chain has recorded. The runtime has the same result for the same transactions. */
  replay(entry: LedgerEntry): void
  /** After a replay the chain goes on as if it had had so many empty blocks in between. */
  resume(slots: number): void
  /** Called when a transaction was included or a slot was opened. Returns a function that ends it. */
  onChange(listener: () => void): () => void
}

/** What a run of the chain records, so that the next one can repeat it. */
export type LedgerEntry =
  | { readonly is: 'transaction'; readonly block: Omit<Block, 'parent' | 'signatures'>; readonly bytes: Uint8Array }
  /** Everything after this slot was dropped. */
  | { readonly is: 'fork'; readonly slot: number }

export interface LedgerOptions {
  readonly record?: (entry: LedgerEntry) => void
  /** A block is final once so many follow it. */
  readonly finalAfter?: number
  readonly firstSlot?: number
  /** In Unix milliseconds. */
  readonly clock?: () => number
}

/** So many blocks after the one that it names, a transaction expires. */
export const lifetime = 150
/** Blocks that are older and empty are forgotten. */
const rememberedBlocks = 1_000

const newHash = (): string => getBase58Decoder().decode(randomBytes(32))

export function createLedger({ finalAfter = 31, firstSlot = 1, clock = Date.now, record }: LedgerOptions = {}): Ledger {
  const runtime = createRuntime()
  const versions = accountVersions()
  const landed = new Map<string, Landed>()
  const byAddress = new Map<Address, string[]>()
  const bySlot = new Map<number, Block>()
  const listeners = new Set<() => void>()
  /** The blocks of the present fork, the open one last. */
  let blocks: Block[] = []
  const announce = () => listeners.forEach((listener) => listener())

  function add({ slot, height, hash, time }: Omit<Block, 'parent' | 'signatures'>): void {
    const last = blocks.at(-1)
    const block = { slot, height, hash, parent: last && { slot: last.slot, hash: last.hash }, time, signatures: [] }
    blocks.push(block)
    bySlot.set(slot, block)
    runtime.setTime(slot, time)
  }

  const open = (slot: number) => add({ slot, height: (blocks.at(-1)?.height ?? 0) + 1, hash: newHash(), time: Math.floor(clock() / 1000) })

  const back: Readonly<Record<Commitment, number>> = { processed: 0, confirmed: 1, finalized: finalAfter + 1 }
  const tip: Ledger['tip'] = (commitment) => blocks.at(-1 - back[commitment]) ?? blocks[0]!
  const openBlock = (): Block => tip('processed')

  const balances = (addresses: readonly Address[]): Balances => {
    const accounts = addresses.map((address) => runtime.account(address))
    return {
      lamports: accounts.map((account) => account?.lamports ?? 0n),
      tokens: accounts.map((account) => tokenBalance(account, runtime.account)),
    }
  }

  function includeAndRecord(wire: WireTransaction, signature: string): Submitted {
    const submitted = include(wire, signature)
    const { slot, height, hash, time } = openBlock()
    if (submitted.is === 'landed') record?.({ is: 'transaction', block: { slot, height, hash, time }, bytes: wire.bytes })
    return submitted
  }

  function include(wire: WireTransaction, signature: string): Submitted {
    const { message } = wire
    const addresses = message.staticAccounts
    const writable = writableAddresses(message)
    const earlier = writable.map((address) => runtime.account(address))
    const before = balances(addresses)
    const execution = runtime.execute(wire.transaction)
    const after = balances(addresses)
    // Whoever cannot pay the fee costs the chain nothing, so his transaction is not in a block.
    if (execution.error !== undefined && before.lamports[0] === after.lamports[0]) return { is: 'unpaid' }
    const block = openBlock()
    writable.forEach((address, i) => versions.write(address, block.slot, earlier[i], runtime.account(address)))
    const transaction = { ...execution, wire, block, fee: feeOf(message), before, after }
    landed.set(signature, transaction)
    block.signatures.push(signature)
    for (const address of addresses) byAddress.set(address, [signature, ...(byAddress.get(address) ?? [])])
    announce()
    return { is: 'landed', transaction }
  }

  function isRecent(hash: string, commitment: Commitment): boolean {
    const { height } = tip(commitment)
    return blocks.some((block) => block.hash === hash && block.height <= height && openBlock().height - block.height <= lifetime)
  }

  function forget(): void {
    versions.prune(tip('finalized').slot)
    const old = blocks.length - rememberedBlocks
    if (old <= 0) return
    for (const block of blocks.slice(0, old)) if (block.signatures.length === 0) bySlot.delete(block.slot)
    blocks = blocks.slice(old)
  }

  /** Makes the block of this slot, or the last one before it, the newest. Returns what was in the blocks after it. */
  function dropAfter(slot: number): readonly WireTransaction[] {
    const dropped = blocks.filter((block) => block.slot > slot)
    blocks = blocks.filter((block) => block.slot <= slot)
    for (const [address, { account }] of versions.revert(slot)) runtime.setAccount(address, account)
    const removed = dropped.flatMap(({ signatures }) => signatures)
    const wires = removed.flatMap((signature) => landed.get(signature)?.wire ?? [])
    for (const block of dropped) bySlot.delete(block.slot)
    for (const signature of removed) {
      for (const address of landed.get(signature)?.wire.message.staticAccounts ?? [])
        byAddress.set(
          address,
          (byAddress.get(address) ?? []).filter((other) => other !== signature),
        )
      landed.delete(signature)
    }
    return wires
  }

  function advance(slots: number): void {
    for (let i = 0; i < slots; i++) open(openBlock().slot + 1)
    forget()
    announce()
  }

  open(firstSlot)
  return {
    tip,
    account(address, at) {
      const version = versions.at(address, typeof at === 'number' ? at : tip(at).slot)
      return version ? version.account : runtime.account(address)
    },
    stateOf(address, at) {
      const version = versions.at(address, tip(at).slot)
      // What it was before its first change is noted with that change only.
      return version && version.slot >= 0 ? version : undefined
    },
    rent: runtime.rent,
    isRecent,
    simulate: ({ transaction }, isPartial) => runtime.simulate(transaction, isPartial),
    async submit(wire) {
      const { signature, message } = wire
      if (signature === undefined || !(await isSigned(wire))) return { is: 'unsigned' }
      if (landed.has(signature)) return { is: 'known' }
      if (!isRecent(message.lifetimeToken, 'processed')) return { is: 'expired' }
      return includeAndRecord(wire, signature)
    },
    landed: (signature) => landed.get(signature),
    signaturesFor: (address) => byAddress.get(address) ?? [],
    block: (slot) => bySlot.get(slot),
    advance,
    skip(slots) {
      const { slot } = openBlock()
      // A slot that has transactions already cannot be skipped, so it is closed first.
      open(slot + slots + 1)
      announce()
    },
    fork(depth) {
      if (depth < 1 || depth > finalAfter || depth >= blocks.length - 1) throw new Error(`A fork of ${depth} blocks is not possible here.`)
      const next = openBlock().slot + 1
      const wires = dropAfter(blocks.at(-2 - depth)!.slot)
      record?.({ is: 'fork', slot: openBlock().slot })
      open(next)
      announce()
      return wires
    },
    replay(entry) {
      if (entry.is === 'fork') return void dropAfter(entry.slot)
      const { block, bytes } = entry
      const wire = decodeTransaction(bytes)
      if (wire?.signature === undefined) throw new Error('a recorded transaction cannot be read')
      if (openBlock().hash !== block.hash) add(block)
      include(wire, wire.signature)
    },
    resume(slots) {
      const { slot, height } = openBlock()
      add({ slot: slot + slots, height: height + slots, hash: newHash(), time: Math.floor(clock() / 1000) })
    },
    give: runtime.setAccount,
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** Every signer that the message names has signed it. */
async function isSigned({ transaction: { messageBytes, signatures } }: WireTransaction): Promise<boolean> {
  for (const [address, signature] of Object.entries(signatures)) {
    if (!signature) return false
    const key = await getPublicKeyFromAddress(address as Address)
    if (!(await verifySignature(key, signature, messageBytes))) return false
  }
  return true
}
