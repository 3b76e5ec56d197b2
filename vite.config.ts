import { readdirSync } from 'node:fs'
import preact from '@preact/preset-vite'
import { defineConfig, type BuildEnvironmentOptions } from 'vite'
import { postgresPatch } from './check/patch-postgres.ts'
import { addReleases } from './embed/releases.mjs'

/** Tests and checks build into folders of their own, so that they do not replace the files of a running service. */
const dist = process.env.TILL_DIST ?? 'dist'

/** The merchant's script has two files: till.js at a fixed URL, and a file for frames whose name has a content hash. */
const embedBuild = (input: string, output: object): BuildEnvironmentOptions => ({
  outDir: `${dist}/client`,
  emptyOutDir: false,
  copyPublicDir: false,
  rollupOptions: { input, preserveEntrySignatures: 'strict', output },
})
/**
 * Each file of the merchant's script names the one that it loads. They are built one after another, `verify` first and `till` last, into a
 * folder that the client build has emptied, so there is one file of each.
 */
const nextFiles = [
  { importer: '/embed/connect.ts', name: 'TILL_VERIFY', prefix: 'till-verify-' },
  { importer: '/embed/loader.ts', name: 'TILL_FRAMES', prefix: 'till-frames-' },
]
const builtFile = (prefix: string) => `/assets/${readdirSync(`${dist}/client/assets`).find((name) => name.startsWith(prefix))}`

/**
 * The page's script has few pieces. `main` has the first screens, `live` talks to the service, `secondary` has the other screens,
 * `wallet-parts` pays from wallets of this device, and `wallet-connect` from those on other devices. Each piece has what its entry imports
 * and `main` lacks. A module that two pieces share would become a file of its own, so it is listed here and goes into `main`.
 */
const pieces = [{ name: 'main', test: /src\/(main|ui\/facts)\./ }]

/** These packages of the service are not bundled, because they read files beside them, rely on `require`, or are rarely needed. */
const unbundled = ['fontkit', 'litesvm', 'nodemailer', 'pdfkit', 'pino', 'smtp-server', 'subset-font', 'ws']

/** One build has seven environments: the page's script, the three files of the merchant's script, the renderer, the service, and the demo. */
export default defineConfig({
  plugins: [
    preact({ devToolsEnabled: false }),
    {
      // The server writes preload links into the head, so Vite's preload helper would be useless code in the page.
      name: 'till:plain-imports',
      enforce: 'pre',
      load: (id) => (id.includes('vite/preload-helper') ? 'export const __vitePreload = (load) => load()' : undefined),
    },
    {
      // This removes the calls of that helper around each import().
      name: 'till:bare-imports',
      enforce: 'post',
      applyToEnvironment: ({ name }) => name === 'client',
      renderChunk: (code) => ({
        code: code
          .replace(/__vitePreload\(\(\) => (import\([^\n]*?), __VITE_PRELOAD__\)/g, '$1')
          .replace(
            /__vitePreload\(async \(\) => \{\s*const \{[^}]*\} = await (import\([^;]*?);\s*return \{[^}]*\};\s*\}, __VITE_PRELOAD__\)/g,
            '$1',
          ),
        map: null,
      }),
    },
    {
      // Creating a schema has no side effects. With this mark the bundler drops the schemas that the page does not use.
      name: 'till:pure-schemas',
      enforce: 'pre',
      applyToEnvironment: ({ name }) => name === 'client',
      transform: (code, id) =>
        id.includes('/src/wire/')
          ? { code: code.replace(/(?<![\w.])(z\s*\.[\w.]+\(|text\(|queryInteger\()/g, '/*@__PURE__*/ $1'), map: null }
          : undefined,
    },
    {
      // WalletConnect's own storage throws on loading where storage is forbidden, so wallet-connect.ts passes one in memory instead.
      name: 'till:no-storage',
      enforce: 'pre',
      applyToEnvironment: ({ name }) => name === 'client',
      load: (id) =>
        id.includes('@walletconnect/keyvaluestorage/') ? 'export class KeyValueStorage {}\nexport default KeyValueStorage' : undefined,
    },
    { ...postgresPatch(), applyToEnvironment: ({ name }) => name === 'server' },
    {
      name: 'till:next-file',
      applyToEnvironment: ({ name }) => name === 'till' || name === 'frames',
      transform: (code, id) => {
        const next = nextFiles.find(({ importer }) => id.endsWith(importer))
        return next && { code: code.replaceAll(next.name, JSON.stringify(builtFile(next.prefix))), map: null }
      },
    },
  ],
  publicDir: 'public',
  build: { target: 'es2022', sourcemap: false, modulePreload: false },
  environments: {
    client: {
      build: {
        outDir: `${dist}/client`,
        manifest: true,
        assetsInlineLimit: 0,
        // Hashes do not compress, and the first script names five files, so they have the fewest bits that identify a file.
        rollupOptions: { input: 'src/main.tsx', output: { codeSplitting: { groups: pieces }, hashCharacters: 'hex' } },
      },
    },
    frames: { consumer: 'client', build: embedBuild('embed/frames.ts', { entryFileNames: 'assets/till-frames-[hash].js' }) },
    verify: {
      consumer: 'client',
      build: embedBuild('src/wire/terms/expected-order.ts', { entryFileNames: 'assets/till-verify-[hash].js' }),
    },
    till: { consumer: 'client', build: embedBuild('embed/loader.ts', { format: 'iife', entryFileNames: 'till.js' }) },
    render: {
      consumer: 'server',
      build: {
        ssr: true,
        // Every response contains the stylesheet as text, so it is minified.
        cssMinify: true,
        outDir: `${dist}/render`,
        copyPublicDir: false,
        rollupOptions: { input: 'src/render.tsx' },
      },
    },
    server: {
      consumer: 'server',
      // Bundled packages load much faster than their many small files (docs/decisions/0025-packed-service.md).
      resolve: { noExternal: true, external: unbundled },
      build: {
        ssr: true,
        outDir: `${dist}/server`,
        copyPublicDir: false,
        sourcemap: true,
        rollupOptions: { input: 'server/main.ts', output: { chunkFileNames: '[name].js' } },
      },
    },
    demo: {
      consumer: 'server',
      build: {
        ssr: true,
        outDir: `${dist}/demo`,
        copyPublicDir: false,
        rollupOptions: { input: 'demo/shop.ts' },
      },
    },
  },
  builder: {
    buildApp: async (builder) => {
      const { ssr: _, frames, verify, till, ...rest } = builder.environments
      await Promise.all(Object.values(rest).map((e) => builder.build(e)))
      if (verify) await builder.build(verify)
      if (frames) await builder.build(frames)
      if (till) await builder.build(till)
      addReleases(`${dist}/client`)
    },
  },
})
