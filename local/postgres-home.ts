import { createHash } from 'node:crypto'
import { chmodSync, chownSync, lstatSync, mkdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** PostgreSQL stores its cluster here and runs as this user. */
export interface PostgresHome {
  readonly path: string
  /** The requested folder is closed to that user, so the cluster is stored elsewhere. */
  readonly isElsewhere: boolean
  readonly user?: string
  readonly uid?: number
  readonly gid?: number
  /** This is the user in the form of child_process options. */
  readonly as: { readonly uid?: number; readonly gid?: number }
}

/**
 * Root cannot run PostgreSQL, and the user that stands in for root may be unable to enter a checkout under /root. Then the cluster goes to
 * /var/tmp, under a name derived from the folder so that the next start finds it again.
 */
export function postgresHome(folder: string): PostgresHome {
  const real = realpathSync(folder)
  if (process.getuid?.() !== 0) return { path: real, isElsewhere: false, as: {} }
  const { user, uid, gid } = unprivilegedUser()
  const isElsewhere = !isOpenToAll(dirname(real))
  const path = isElsewhere ? join('/var/tmp', `till-${createHash('sha256').update(real).digest('hex').slice(0, 12)}`) : real
  if (isElsewhere) takeOver(path)
  // The stand-in user may traverse the folder (to its cluster inside) but cannot list it or read the password.
  chownSync(path, 0, gid)
  chmodSync(path, 0o710)
  return { path, isElsewhere, user, uid, gid, as: { uid, gid } }
}

/** Anybody may write to /var/tmp, so a folder that someone else created there under our name is refused. */
function takeOver(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 })
  const entry = lstatSync(path)
  if (!entry.isDirectory() || entry.uid !== 0) {
    throw new Error(`${path} belongs to somebody else: remove it, or run as an ordinary user.`)
  }
}

export function isOpenToAll(path: string): boolean {
  const open = (statSync(path).mode & 0o001) !== 0
  const parent = dirname(path)
  return open && (parent === path || isOpenToAll(parent))
}

function unprivilegedUser(): { user: string; uid: number; gid: number } {
  const users = readFileSync('/etc/passwd', 'utf8').split('\n')
  for (const user of ['postgres', 'nobody']) {
    const fields = users.find((line) => line.startsWith(`${user}:`))?.split(':')
    if (fields) return { user, uid: Number(fields[2]), gid: Number(fields[3]) }
  }
  throw new Error('PostgreSQL refuses to run as root and this machine has no user postgres or nobody: run as an ordinary user.')
}
