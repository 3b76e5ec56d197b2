import { linkSync, mkdirSync, readdirSync, readFileSync, realpathSync, renameSync, rmSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { formatPid, identify, isAlive, parsePid, recordPid, recordedPid, stopPid } from './pids.ts'

/** Local mode stores its data in this folder (PostgreSQL's may be elsewhere, see postgres-home.ts). Only one process can have it open. */
export interface DataFolder {
  /** The path is absolute, with links resolved. */
  readonly path: string
  /** Records a child process, so that the next process to open the folder stops it if this one crashes. */
  child(name: string, pid: number): void
  forgetChild(name: string): void
  release(): void
}

export class DataFolderBusy extends Error {
  override readonly name = 'DataFolderBusy'
}

/**
 * Opens the folder. Its lock is created by link(2), which fails when the name exists. A lock whose process is dead (kill -9, power loss) is
 * taken over, even if another process has its pid now, and that process's children are stopped before the new one starts anything.
 */
export async function openDataFolder(folder: string): Promise<DataFolder> {
  // Other users may traverse the folder but not list it, since PostgreSQL runs inside as another user when we are root.
  mkdirSync(folder, { recursive: true, mode: 0o711 })
  mkdirSync(join(folder, 'pids'), { recursive: true, mode: 0o700 })
  const path = realpathSync(folder)
  const lock = join(path, 'lock')
  acquire(lock, path)
  await stopLeftovers(join(path, 'pids'))
  return {
    path,
    child: (name, pid) => recordPid(join(path, 'pids', name), pid),
    forgetChild: (name) => rmSync(join(path, 'pids', name), { force: true }),
    release: () => {
      if (read(lock) === ownPid()) rmSync(lock, { force: true })
    },
  }
}

const ownPid = () => formatPid(identify(process.pid)!)

function acquire(lock: string, folder: string): void {
  const mine = `${lock}.${process.pid}`
  if (read(lock) === ownPid()) throw new DataFolderBusy(`The data folder ${folder} is already open in this process.`)
  writeFileSync(mine, ownPid(), { mode: 0o600 })
  try {
    while (!tryLink(mine, lock)) {
      const held = read(lock)
      const holder = held && parsePid(held)
      if (holder && isAlive(holder)) {
        throw new DataFolderBusy(
          `Another instance (process ${holder.pid}) uses the data folder ${folder}: stop it, or set TILL_DATA to another folder.`,
        )
      }
      removeStale(lock, held)
    }
  } finally {
    rmSync(mine, { force: true })
  }
}

/** Two processes may both find a stale lock. The rename shows which file was really removed, and a live one is put back. */
function removeStale(lock: string, seen: string | undefined): void {
  const aside = `${lock}.stale.${process.pid}`
  try {
    renameSync(lock, aside)
  } catch {
    return
  }
  if (read(aside) !== seen) tryLink(aside, lock)
  unlinkSync(aside)
}

function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

async function stopLeftovers(pids: string): Promise<void> {
  await Promise.all(
    readdirSync(pids).map(async (name) => {
      const file = join(pids, name)
      const child = recordedPid(file)
      if (child) await stopPid(child)
      rmSync(file, { force: true })
    }),
  )
}

const fileIn = (dataFolder: string): string => join(dataFolder, 'url')

/** Records the URL of this instance, which `npm run scenario` reads. The returned function removes the record. */
export function recordUrl(dataFolder: string, payUrl: string): () => void {
  writeFileSync(fileIn(dataFolder), payUrl, { mode: 0o600 })
  return () => rmSync(fileIn(dataFolder), { force: true })
}

/** Returns the recorded URL, at which nothing runs if the instance has crashed. */
export function recordedUrl(dataFolder: string): string | undefined {
  try {
    return readFileSync(fileIn(dataFolder), 'utf8')
  } catch {
    return undefined
  }
}
