import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { build } from 'vite'
import type { Figure } from './figures.ts'

interface Chunk {
  readonly file: string
  readonly name?: string
  readonly imports?: readonly string[]
}

/** Lists what a wallet payment downloads beyond the page itself, part by part, and compares it with the size before compression. */
export async function chunkFigures(): Promise<Figure[]> {
  const manifest = JSON.parse(readFileSync('dist/client/.vite/manifest.json', 'utf8')) as Record<string, Chunk>
  const files = (key: string, found = new Set<string>()): Set<string> => {
    const chunk = manifest[key]
    if (!chunk || found.has(chunk.file)) return found
    found.add(chunk.file)
    for (const imported of chunk.imports ?? []) files(imported, found)
    return found
  }
  const wallet = 'src/methods/wallet-parts.ts'
  const first = new Set(['src/main.tsx', 'src/live.ts'].flatMap((key) => [...files(key)]))
  const part = (what: string, keys: readonly string[], budget?: number): Figure => {
    const before = keys.includes(wallet) ? first : new Set([...first, ...files(wallet)])
    const more = new Set(keys.flatMap((key) => [...files(key)]).filter((file) => !before.has(file)))
    const texts = [...more].map((file) => readFileSync(join('dist/client', file)))
    return {
      what,
      unit: 'kB',
      till: texts.reduce((sum, text) => sum + packed(text), 0),
      plain: texts.reduce((sum, text) => sum + text.length / 1000, 0),
      by: 'unpacked',
      ...(budget === undefined ? {} : { budget }),
    }
  }
  return [
    part('lazy: wallets of this device', [wallet], 31.5),
    part('lazy: wallets on other devices', ['src/methods/wallet/wallet-connect.ts']),
    {
      what: 'the x402 client itself',
      unit: 'kB',
      till: await bundled(ours),
      plain: await bundled(theirs),
      by: 'the official client, bundled the same way',
    },
  ]
}

const ours = `export * from '/src/wire/x402-header.ts'
export * from '/src/methods/wallet/offers.ts'
export * from '/src/methods/wallet/authorization.ts'
export * from '/src/methods/wallet/complete-x402.ts'`

const theirs = `export { x402Client, x402HTTPClient } from '@x402/core/client'
export { ExactEvmScheme } from '@x402/evm/exact/client'`

/** Returns compressed kilobytes. Our client is built without viem and the chain facts, which the page loads anyway. */
async function bundled(entry: string): Promise<number> {
  const name = 'virtual:entry'
  const result = await build({
    configFile: false,
    logLevel: 'silent',
    plugins: [
      {
        name: 'entry',
        enforce: 'pre',
        resolveId: (id) =>
          id === name ? join(process.cwd(), 'bench/entry.js') : id.startsWith('/src/') ? join(process.cwd(), id) : undefined,
        load: (id) => (id.endsWith('bench/entry.js') ? entry : undefined),
      },
    ],
    build: {
      write: false,
      target: 'es2022',
      minify: true,
      rollupOptions: { input: name, preserveEntrySignatures: 'strict', external: entry === ours ? [/viem/, /chain-facts/] : [] },
    },
  })
  const outputs = (Array.isArray(result) ? result : [result]).flatMap((build) => ('output' in build ? build.output : []))
  return outputs.reduce((sum, output) => sum + (output.type === 'chunk' ? packed(Buffer.from(output.code)) : 0), 0)
}

const packed = (text: Buffer): number => brotliCompressSync(text).length / 1000
