import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { hashOf } from './block.ts'
import { fromHex, fromId, toHex, toId } from './bytes.ts'
import { createChain, type Block, type Chain } from './chain.ts'
import { openJournal } from '../journal.ts'
import { createMempool, type Accepted, type Mempool } from './mempool.ts'
import { chooseEntries, mineBlock } from './mine.ts'
import { decodeTransaction, type Transaction } from './transaction.ts'

export interface Node {
  readonly chain: Chain
  readonly mempool: Mempool
  /** Whether no block of the last day has been seen since the start. */
  isBehind(): boolean
  /** Fixes the node's clock, or with 0 lets it run again. */
  setMockTime(seconds: number): void
  add(accepted: Accepted): void
  /** Makes a block of the given transactions and nothing else, without adding it. */
  assemble(script: Uint8Array, transactions: readonly Transaction[]): Buffer
  /** Makes a block of what the mempool offers, without adding it. */
  assembleBest(script: Uint8Array): Buffer
  /** Adds a block that was assembled here and checked, and returns its hash, or undefined if it does not become the tip. */
  submit(block: Uint8Array): string | undefined
  invalidate(block: Block): void
  reconsider(block: Block): void
  /** Saves the mempool and closes the files. */
  close(): void
}

/** What the chain's file records, by its first byte. */
const kinds = { block: 0, invalidated: 1, reconsidered: 2 } as const

const SavedMempool = z.array(z.object({ hex: z.string(), time: z.number() }))

/** With a folder, every block is in its file before anybody sees it. The mempool is saved a second after a change and when the node stops. */
export function createNode(folder?: string, clock: () => number = Date.now): Node {
  const chain = createChain()
  let mockTime = 0
  const now = () => (mockTime === 0 ? clock() : mockTime * 1000)
  const mempool = createMempool(chain, now)
  let wasCurrent = false

  function replay(record: Uint8Array): void {
    const [kind] = record
    const body = record.subarray(1)
    if (kind === kinds.block) chain.add(body)
    else {
      const block = chain.find(toId(body))
      if (block && kind === kinds.invalidated) chain.invalidate(block)
      if (block && kind === kinds.reconsidered) chain.reconsider(block)
    }
  }

  if (folder) mkdirSync(folder, { recursive: true, mode: 0o700 })
  const journal = folder ? openJournal(join(folder, 'blocks.dat'), replay) : undefined
  const saved = folder ? join(folder, 'mempool.json') : undefined
  const record = (kind: number, body: Uint8Array) => journal?.append(Buffer.concat([Buffer.from([kind]), body]))

  if (saved) loadMempool(saved)
  let saving: NodeJS.Timeout | undefined

  function loadMempool(file: string): void {
    if (!existsSync(file)) return
    for (const { hex, time } of SavedMempool.parse(JSON.parse(readFileSync(file, 'utf8')))) {
      const transaction = decodeTransaction(fromHex(hex) ?? new Uint8Array())
      const result = transaction && mempool.check(transaction)
      if (result && 'entry' in result) mempool.add({ ...result, entry: { ...result.entry, time } })
    }
  }

  function saveMempool(): void {
    clearTimeout(saving)
    saving = undefined
    if (!saved) return
    const entries = [...mempool.entries()].map(({ transaction, time }) => ({ hex: toHex(transaction.raw), time }))
    writeFileSync(`${saved}.new`, JSON.stringify(entries), { mode: 0o600 })
    renameSync(`${saved}.new`, saved)
  }

  const saveSoon = () => (saving ??= setTimeout(saveMempool, 1000).unref())

  const nowInSeconds = () => Math.floor(now() / 1000)

  return {
    chain,
    mempool,
    isBehind() {
      wasCurrent ||= chain.tip().header.time > nowInSeconds() - 86_400
      return !wasCurrent
    },
    setMockTime: (seconds) => void (mockTime = seconds),
    add(accepted) {
      mempool.add(accepted)
      saveSoon()
    },
    assemble: (script, transactions) => mineBlock(chain, script, transactions, 0n, nowInSeconds()),
    assembleBest(script) {
      const entries = chooseEntries(mempool)
      const fees = entries.reduce((sum, { fee }) => sum + fee, 0n)
      return mineBlock(
        chain,
        script,
        entries.map(({ transaction }) => transaction),
        fees,
        nowInSeconds(),
      )
    },
    submit(block) {
      const hash = hashOf(block)
      if (chain.find(hash)) return undefined
      record(kinds.block, block)
      chain.add(block)
      saveSoon()
      return chain.tip().hash === hash ? hash : undefined
    },
    invalidate(block) {
      record(kinds.invalidated, fromId(block.hash))
      chain.invalidate(block)
      saveSoon()
    },
    reconsider(block) {
      record(kinds.reconsidered, fromId(block.hash))
      chain.reconsider(block)
      saveSoon()
    },
    close() {
      saveMempool()
      journal?.close()
    },
  }
}
