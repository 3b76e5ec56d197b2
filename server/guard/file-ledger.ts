import { open, readFile, truncate } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Hex } from 'viem'
import * as z from 'zod/mini'
import { RawString } from '../../src/wire/scalars.ts'
import { type Claim, type GuardLedger, hourMs, isOver, type LedgerEntry, type MoveNonce } from './ledger.ts'

const Line = z.strictObject({
  chain: z.int(),
  terms: z.string(),
  nonce: RawString,
  move: z.string().check(z.regex(/^0x[0-9a-f]{64}$/)),
  organization: z.string(),
  budget: z.enum(['merchant', 'merchant_partly', 'surplus', 'conversion']),
  at_risk: RawString,
  evidence: z.optional(z.string()),
  at: z.int(),
})

const nameOf = ({ chainId, terms, nonce }: MoveNonce): string => `${chainId} ${terms} ${nonce}`

/**
 * A file to which lines are only added, for a guard that is a process of its own. One process at a time may use it. A line is on the disk
 * before its move is signed, so a line that a crash has cut off stands for nothing and is removed.
 */
export async function fileLedger(path: string): Promise<GuardLedger & { close(): Promise<void> }> {
  const moves = new Map<string, Hex>()
  const usedEvidence = new Set<string>()
  let lately: LedgerEntry[] = []
  const note = (entry: LedgerEntry): void => {
    moves.set(nameOf(entry), entry.move)
    if (entry.evidence !== undefined) usedEvidence.add(entry.evidence)
    lately.push(entry)
  }
  for (const entry of await readEntries(path)) {
    note(entry)
  }
  const file = await open(path, 'a', 0o600)
  await file.sync()
  await syncFolder(dirname(path))

  const claim: GuardLedger['claim'] = async (entry, limit): Promise<Claim> => {
    const same = moves.get(nameOf(entry))
    if (same !== undefined) return same === entry.move ? 'known' : 'another_move'
    if (entry.evidence !== undefined && usedEvidence.has(entry.evidence)) return 'evidence_used'
    lately = lately.filter(({ at }) => at > entry.at - hourMs)
    const sum = (entries: readonly LedgerEntry[]) => entries.reduce((total, { atRisk }) => total + atRisk, entry.atRisk)
    const ofBudget = lately.filter(({ budget }) => budget === entry.budget)
    const own = ofBudget.filter(({ organization }) => organization === entry.organization)
    if (isOver(limit, { own: sum(own), inAll: sum(ofBudget) })) return 'over_the_limit'
    await file.appendFile(`${JSON.stringify(lineOf(entry))}\n`)
    await file.datasync()
    note(entry)
    return 'recorded'
  }

  /** A line that could not be written whole would spoil the next one, so after an error nothing more is signed. */
  let last: Promise<unknown> = Promise.resolve()
  let broken: unknown
  return {
    find: async (nonce) => moves.get(nameOf(nonce)),
    claim: (entry, limits) => {
      const next = last.then(() => {
        if (broken) throw new Error(`The ledger ${path} could not be written: restart the guard.`, { cause: broken })
        return claim(entry, limits)
      })
      last = next.catch((error: unknown) => (broken ??= error))
      return next
    },
    close: () => last.then(() => file.close()),
  }
}

const lineOf = ({ chainId, terms, nonce, move, organization, budget, atRisk, evidence, at }: LedgerEntry): z.infer<typeof Line> => ({
  chain: chainId,
  terms,
  nonce: nonce.toString(),
  move,
  organization,
  budget,
  at_risk: atRisk.toString(),
  ...(evidence !== undefined && { evidence }),
  at,
})

/** A new file is only found again after a crash of the machine if its folder is on the disk as well. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

async function readEntries(path: string): Promise<LedgerEntry[]> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
  const whole = text.slice(0, text.lastIndexOf('\n') + 1)
  if (whole.length < text.length) await truncate(path, Buffer.byteLength(whole))
  return whole
    .split('\n')
    .slice(0, -1)
    .map((line, i) => entryOf(line, `${path}, line ${i + 1}`))
}

function entryOf(line: string, where: string): LedgerEntry {
  const parsed = z.safeParse(Line, jsonOf(line))
  if (!parsed.success) throw new Error(`${where} is not an entry of a guard's ledger. The guard does not start without its whole ledger.`)
  const { chain, nonce, move, at_risk, evidence, ...rest } = parsed.data
  return {
    ...rest,
    chainId: chain,
    nonce: BigInt(nonce),
    move: move as Hex,
    atRisk: BigInt(at_risk),
    ...(evidence !== undefined && { evidence }),
  }
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
