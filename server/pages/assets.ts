import { readFileSync } from 'node:fs'
import { extname, join, normalize } from 'node:path'
import type { Context, Hono } from 'hono'
import * as z from 'zod/mini'
import type { Boot } from '../../src/wire/boot.ts'
import { readyResponse } from '../http/ready-response.ts'
import { compressed, encodingOf, type Encoding } from './compression.ts'
import { scriptVersions, type ScriptVersion } from './script-versions.ts'

export interface Assets {
  /** This is the folder of the built page, dist/client. */
  readonly dir: string
  readonly manifest: Manifest
  readonly scripts: readonly ScriptVersion[]
}

const Manifest = z.record(
  z.string(),
  z.object({ file: z.string(), imports: z.optional(z.array(z.string())), dynamicImports: z.optional(z.array(z.string())) }),
)
type Manifest = z.infer<typeof Manifest>

export const loadAssets = (dir: string): Assets => ({
  dir,
  manifest: Manifest.parse(JSON.parse(readFileSync(join(dir, '.vite/manifest.json'), 'utf8'))),
  scripts: scriptVersions(dir),
})

/** Lists each script together with everything that it imports statically, so that a page can preload them all at once. */
export function scriptsOf({ manifest }: Assets): Boot['shell']['scripts'] {
  const files = (key: string, found = new Set<string>()): Set<string> => {
    const chunk = manifest[key]
    if (!chunk || found.has(chunk.file)) return found
    found.add(chunk.file)
    for (const imported of chunk.imports ?? []) files(imported, found)
    return found
  }
  const addresses = (key: string) => [...files(key)].map((file) => `/${file}`)
  return {
    main: addresses('src/main.tsx'),
    secondary: addresses('src/screens/secondary.tsx'),
    host: addresses('src/host.ts'),
  }
}

/** The page's whole stylesheet, which src/whole.ts fetches. */
export function stylesOf({ manifest }: Assets): string | undefined {
  // The build names it by its whole path.
  const sheet = Object.values(manifest).find(({ file }) => /^assets\/till-[\w-]+\.css$/.test(file))
  return sheet && `/${sheet.file}`
}

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
}
const compressible = /javascript|css|svg|text/

const forever = 'public, max-age=31536000, immutable'

/** Serves the built files. A hash in a name means that the file never changes, so browsers cache it for a year. */
export function assetRoutes(app: Hono, { dir, scripts }: Assets, payUrl: string): void {
  const known = new Map<string, Uint8Array<ArrayBuffer>>()
  const read = (path: string, encoding: Encoding | undefined): Uint8Array<ArrayBuffer> | undefined => {
    const key = `${encoding ?? ''} ${path}`
    const found = known.get(key) ?? load(path, encoding)
    // Misses are not cached, since a caller can make up any number of names.
    if (found) known.set(key, found)
    return found
  }
  const load = (path: string, encoding: Encoding | undefined) => {
    try {
      const bytes = readFileSync(join(dir, path))
      return encoding ? compressed(bytes, encoding, 'best') : bytes
    } catch {
      return undefined
    }
  }
  const serve = (c: Context, path: string, cache: string): Response | undefined => {
    const type = types[extname(path)]
    if (!type || normalize(path) !== path) return undefined
    const encoding = compressible.test(type) ? encodingOf(c.req.header('accept-encoding')) : undefined
    const bytes = read(path, encoding)
    if (!bytes) return undefined
    const headers = {
      'content-type': type,
      'cache-control': cache,
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'cross-origin',
      // Lets a merchant's script tag have `crossorigin`, which `integrity` needs.
      'access-control-allow-origin': '*',
      vary: 'accept-encoding',
      ...(encoding ? { 'content-encoding': encoding } : {}),
    }
    return readyResponse(c, bytes, { headers })
  }
  app.get('/assets/:name{[A-Za-z0-9._-]+}', (c) => serve(c, `assets/${c.req.param('name')}`, forever) ?? c.notFound())
  app.get('/till.js', (c) => {
    const asked = c.req.query('v')
    // Most merchants link to it without a version, so browsers cache it for an hour only, and a release reaches them soon.
    if (asked === undefined) return serve(c, 'till.js', 'public, max-age=3600') ?? c.notFound()
    const script = scripts.find(({ version }) => version === asked)
    if (!script)
      return c.text(`There is no such version of till.js here. There are: ${scripts.map(({ version }) => version).join(', ')}\n`, 404)
    return serve(c, script.file, script.isKept ? forever : 'public, max-age=3600') ?? c.notFound()
  })
  app.get('/till.json', (c) =>
    c.json(scripts.map(({ version, integrity }) => ({ version, integrity, url: `${payUrl}/till.js?v=${version}` }))),
  )
  for (const name of ['icon.svg', 'icon.png', 'robots.txt']) {
    app.get(`/${name}`, (c) => serve(c, name, 'public, max-age=86400') ?? c.notFound())
  }
}
