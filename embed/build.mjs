import { execFileSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The package has the loader, the API client for servers, and types. The script itself is always loaded from {pay_url}. */
const here = import.meta.dirname
const dist = join(here, 'dist')
rmSync(dist, { recursive: true, force: true })
const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc')
execFileSync(process.execPath, [tsc, '-p', join(here, 'tsconfig.publish.json')], { stdio: 'inherit' })
const run = new Set(['load-till.js', 'server.js'])
for (const file of readdirSync(dist)) {
  const path = join(dist, file)
  if (file.endsWith('.js') && !run.has(file)) rmSync(path)
  // The compiler rewrites import paths in the scripts, but not in the type declarations.
  if (file.endsWith('.d.ts')) writeFileSync(path, readFileSync(path, 'utf8').replace(/(from '\.\/[\w-]+)\.ts'/g, "$1.js'"))
}
