import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { brotliCompressSync, constants } from 'node:zlib'
import { renderToString } from 'preact-render-to-string'
import { renderSVG } from 'uqr'
import { build } from 'vite'
import { serve } from '../http.ts'
import { hydrated } from './hydrated.ts'

export interface Limits {
  /** One file without scripts, as small as somebody could make a page with a code and a button. Its size is that of the first packets. */
  readonly staticUrl: string
  /** The same with our Cross-Origin-Opener-Policy, for which a browser starts another process once it has read the headers. */
  readonly isolatedUrl: string
  /** About 10 kB, which Preact and its signals hydrate. */
  readonly hydratedUrl: string
  readonly isolatedHydratedUrl: string
  /** The last one with a script as large as our first one may be, though most of it is a comment. */
  readonly ladenUrl: string
  close(): void
}

const firstScript = 20_000
const address = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'

/** Serves the two pages that ours is measured against, compressed as ours is. */
export async function serveLimits(): Promise<Limits> {
  const fixed = readFileSync('bench/limits/static-14kb.html', 'utf8')
  const style = /<style>.*?<\/style>/s.exec(fixed)?.[0] ?? ''
  const page = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">\
<title>Pay</title><link rel="icon" href="data:,">${style}<script type="module" src="/hydrate.js"></script></head><body><main>\
<div id="qr">${renderSVG(`ethereum:${address}@8453`, { ecc: 'M' })}</div>\
<div id="root" data-address="${address}">${renderToString(hydrated(address))}</div></main></body></html>`
  const hydrate = await script()
  const small = packed(hydrate)
  // Random bytes do not compress, so as text they are sent as the bytes they stand for.
  const laden = packed(`${hydrate}/*${randomBytes(firstScript - small.length).toString('base64')}*/`)
  const javascript = { 'content-type': 'text/javascript' }
  const html = { 'content-type': 'text/html; charset=utf-8' }
  const isolated = { ...html, 'cross-origin-opener-policy': 'same-origin-allow-popups' }
  const files: Readonly<Record<string, readonly [headers: Readonly<Record<string, string>>, content: Buffer]>> = {
    '/static': [html, packed(fixed)],
    '/isolated': [isolated, packed(fixed)],
    '/hydrated': [html, packed(page)],
    '/isolated-hydrated': [isolated, packed(page)],
    '/laden': [isolated, packed(page.replace('/hydrate.js', '/laden.js'))],
    '/hydrate.js': [javascript, small],
    '/laden.js': [javascript, laden],
  }
  const server = await serve((request, response) => {
    const file = files[request.url ?? '']
    if (!file) return response.writeHead(404).end()
    response.writeHead(200, { ...file[0], 'content-encoding': 'br' }).end(file[1])
  })
  return {
    staticUrl: `${server.url}/static`,
    isolatedUrl: `${server.url}/isolated`,
    hydratedUrl: `${server.url}/hydrated`,
    isolatedHydratedUrl: `${server.url}/isolated-hydrated`,
    ladenUrl: `${server.url}/laden`,
    close: server.close,
  }
}

const packed = (text: string): Buffer => brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } })

async function script(): Promise<string> {
  const result = await build({
    configFile: false,
    logLevel: 'silent',
    build: { write: false, minify: true, modulePreload: false, rollupOptions: { input: 'bench/limits/hydrate.ts' } },
  })
  const outputs = (Array.isArray(result) ? result : [result]).flatMap((built) => ('output' in built ? built.output : []))
  const chunk = outputs.find((output) => output.type === 'chunk')
  if (!chunk) throw new Error('The hydrated page has no script.')
  return chunk.code
}
