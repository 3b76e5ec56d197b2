import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import * as z from 'zod'
import type { Anvil } from './anvil.ts'

const Dump = z.string().regex(/^0x[0-9a-f]+$/)

/** Writes a new file and renames it, so that a kill meanwhile leaves the old state. anvil's own writer does not promise that. */
export async function saveState(anvil: Anvil, file: string): Promise<void> {
  const [dump] = await anvil.ask(['anvil_dumpState'])
  const aside = `${file}.new`
  writeFileSync(aside, Buffer.from(Dump.parse(dump).slice(2), 'hex'), { mode: 0o600 })
  renameSync(aside, file)
}

export async function loadState(anvil: Anvil, file: string): Promise<void> {
  if (!existsSync(file)) return
  try {
    await anvil.ask(['anvil_loadState', `0x${readFileSync(file).toString('hex')}`])
  } catch (cause) {
    throw new Error(`The saved state of local chain ${anvil.chainId} (${file}) can't be read: delete it to begin afresh.`, { cause })
  }
}
