import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/**
 * A page may ask for one version of till.js and say what its bytes are. So a release keeps its script in embed/releases/<version>/ for ever,
 * together with the files that it fetches, whose names have a hash.
 */
const here = import.meta.dirname
const { version } = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8'))
const releases = join(here, 'releases')
const fetched = /^till-(frames|verify)-/

const integrityOf = (file) => `sha384-${createHash('sha384').update(readFileSync(file)).digest('base64')}`

/** Adds the kept releases to the built client, and a list of all versions, which the service reads. */
export function addReleases(client) {
  const versions = [{ version, file: 'till.js', integrity: integrityOf(join(client, 'till.js')), isKept: false }]
  for (const kept of existsSync(releases) ? readdirSync(releases) : []) {
    const file = `releases/${kept}.js`
    mkdirSync(join(client, 'releases'), { recursive: true })
    cpSync(join(releases, kept, 'till.js'), join(client, file))
    cpSync(join(releases, kept, 'assets'), join(client, 'assets'), { recursive: true })
    const entry = { version: kept, file, integrity: integrityOf(join(client, file)), isKept: true }
    if (kept === version) versions[0] = entry
    else versions.push(entry)
  }
  writeFileSync(join(client, 'till-versions.json'), JSON.stringify(versions))
}

/** Part of a release: keeps what `npm run build` has built. The same version is never kept twice. */
function keep(client) {
  const folder = join(releases, version)
  if (existsSync(folder)) throw new Error(`${version} is kept already: raise the version in embed/package.json first`)
  mkdirSync(join(folder, 'assets'), { recursive: true })
  cpSync(join(client, 'till.js'), join(folder, 'till.js'))
  for (const name of readdirSync(join(client, 'assets')).filter((asset) => fetched.test(asset)))
    cpSync(join(client, 'assets', name), join(folder, 'assets', name))
  console.log(`kept till.js ${version} ${integrityOf(join(folder, 'till.js'))}`)
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) keep(join(here, '../dist/client'))
