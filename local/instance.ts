import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const fileIn = (dataFolder: string): string => join(dataFolder, 'url')

/** Writes down where the instance on this data folder is reached, for programs beside it; the function returned takes it away. */
export function noteInstance(dataFolder: string, payUrl: string): () => void {
  writeFileSync(fileIn(dataFolder), payUrl, { mode: 0o600 })
  return () => rmSync(fileIn(dataFolder), { force: true })
}

/** Where it was reached last: after a crash it may be gone. */
export function notedInstance(dataFolder: string): string | undefined {
  try {
    return readFileSync(fileIn(dataFolder), 'utf8')
  } catch {
    return undefined
  }
}
