import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const fileIn = (dataFolder: string): string => join(dataFolder, 'url')

/** Records the URL of the instance on this data folder, for other programs; the returned function removes it. */
export function noteInstance(dataFolder: string, payUrl: string): () => void {
  writeFileSync(fileIn(dataFolder), payUrl, { mode: 0o600 })
  return () => rmSync(fileIn(dataFolder), { force: true })
}

/** The recorded URL; after a crash nothing may be running there. */
export function notedInstance(dataFolder: string): string | undefined {
  try {
    return readFileSync(fileIn(dataFolder), 'utf8')
  } catch {
    return undefined
  }
}
