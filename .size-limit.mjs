import { existsSync, readdirSync, readFileSync } from 'node:fs'

const dist = process.env.TILL_DIST ?? 'dist'

/** Collects the files that a browser has to load for a chunk: its own, and those of all static imports, at any depth. */
function withImports(manifest, key, seen = new Set()) {
  const chunk = manifest[key]
  if (!chunk || seen.has(chunk.file)) return seen
  seen.add(chunk.file)
  for (const imported of chunk.imports ?? []) withImports(manifest, imported, seen)
  return seen
}

const manifestFile = `${dist}/client/.vite/manifest.json`
const manifest = existsSync(manifestFile) ? JSON.parse(readFileSync(manifestFile, 'utf8')) : {}
const main = withImports(manifest, 'src/main.tsx')
/** This includes `main`, because the page loads src/live.ts after it. */
const live = withImports(manifest, 'src/live.ts', new Set(main))
const wallet = withImports(manifest, 'src/methods/wallet-parts.ts', new Set(live))
/** The payer has the list of wallets before one of them can be of Solana. */
const solana = [...withImports(manifest, 'src/methods/wallet/solana/pay-on-solana.ts', new Set(wallet))].filter((file) => !wallet.has(file))
/** A page with an address loads this at once. */
const check = [...withImports(manifest, 'src/check-order.tsx')].filter((file) => !main.has(file))
const paths = (files) => [...files].map((file) => `${dist}/client/${file}`)

/** Chunk names end in a content hash, so a chunk can only be found by its prefix. */
function chunk(prefix) {
  const folder = `${dist}/client/assets`
  return existsSync(folder) ? readdirSync(folder).flatMap((name) => (name.startsWith(prefix) ? [`${folder}/${name}`] : [])) : []
}

const budgets = [
  { name: "the merchant's script", path: [`${dist}/client/till.js`], limit: '3.5 kB' },
  { name: 'what it fetches for frames', path: chunk('till-frames-'), limit: '3.5 kB' },
  { name: 'the check of where money goes, here and in the package', path: chunk('till-verify-'), limit: '6 kB' },
  { name: 'what our page adds in a frame', path: chunk('host-'), limit: '1.5 kB' },
  { name: 'the check of an address for refunds, of any family of chains', path: chunk('can-receive-'), limit: '3 kB' },
  { name: 'the check of an order, before its address can be copied', path: paths(check), limit: '5.2 kB' },
  {
    name: 'what a wallet adds, until it is connected and asked',
    path: paths([...wallet].filter((file) => !live.has(file))),
    limit: '31.5 kB',
  },
  { name: 'what a wallet of Solana adds', path: paths(solana), limit: '6 kB' },
  { name: 'the page, until it is interactive', path: paths(main), limit: '20 kB' },
  { name: 'the page, live', path: paths(live), limit: '30 kB' },
]

/** Before the first build there is nothing to measure. */
export default manifest['src/main.tsx'] ? budgets : []
