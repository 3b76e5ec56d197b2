import { existsSync, readdirSync, readFileSync } from 'node:fs'

const dist = process.env.TILL_DIST ?? 'dist'

/** What a browser loads for a chunk of the page: itself and everything it imports without being asked. */
function withImports(manifest, key, seen = new Set()) {
  const chunk = manifest[key]
  if (!chunk || seen.has(chunk.file)) return seen
  seen.add(chunk.file)
  for (const imported of chunk.imports ?? []) withImports(manifest, imported, seen)
  return seen
}

const manifestFile = `${dist}/client/.vite/manifest.json`
const manifest = existsSync(manifestFile) ? JSON.parse(readFileSync(manifestFile, 'utf8')) : {}
const page = withImports(manifest, 'src/main.tsx')
const live = Object.keys(manifest).filter((key) => manifest[key].isDynamicEntry && /live|socket/.test(key))
const pageAndLive = live.reduce((files, key) => withImports(manifest, key, new Set(files)), page)

/** Chunks are named by their content. */
const filesOf = (prefix) => {
  const folder = `${dist}/client/assets`
  return existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => name.startsWith(prefix))
        .map((name) => `${folder}/${name}`)
    : []
}

const budgets = [
  { name: "the merchant's script", path: [`${dist}/client/till.js`], limit: '3 kB' },
  { name: 'what it fetches for frames', path: filesOf('till-frames-'), limit: '3 kB' },
  { name: 'what our page adds in a frame', path: filesOf('host-'), limit: '1.5 kB' },
  { name: 'the page, first script', path: [...page].map((file) => `${dist}/client/${file}`), limit: '20 kB' },
  { name: 'the page, live', path: [...pageAndLive].map((file) => `${dist}/client/${file}`), limit: '30 kB' },
]

/** What is not built yet has no budget. */
export default budgets.filter(({ path }) => path.length > 0 && path.every((file) => existsSync(file)))
