import { readdirSync } from 'node:fs'
import preact from '@preact/preset-vite'
import { defineConfig, type BuildEnvironmentOptions } from 'vite'
import { postgresPatch } from './check/patch-postgres.ts'

/** Tests build into a folder of their own, so that a running service keeps its files. */
const dist = process.env.TILL_DIST ?? 'dist'

/** The merchant's script: a classic one that anybody may link to, and the file it fetches for frames, named by its content. */
const embedBuild = (input: string, output: object): BuildEnvironmentOptions => ({
  outDir: `${dist}/client`,
  emptyOutDir: false,
  copyPublicDir: false,
  rollupOptions: { input, preserveEntrySignatures: 'strict', output },
})
/** Built just before, into a folder that was empty. */
const framesFile = () => readdirSync(`${dist}/client/assets`).find((name) => name.startsWith('till-frames-'))

/**
 * The page's script in few pieces: `main` is what is drawn first, `live` talks to the service, `secondary` has the screens behind the first
 * ones, `wallet-parts` pays from wallets of this device, `wallet-connect` from those of others. Each is what its entry imports and `main`
 * does not have; what two of the others share is named here, and in `main` too.
 */
const pieces = [{ name: 'main', test: /src\/(main|ui\/facts)\./ }]

/** Packages of the service that look for files beside them, are written for `require`, or are rarely needed. */
const unbundled = ['fontkit', 'nodemailer', 'pdfkit', 'pino', 'smtp-server', 'subset-font', 'ws']

/** One build, an environment each: the page for browsers, the page as a string, the service, the demo shop. */
export default defineConfig({
  plugins: [
    preact({ devToolsEnabled: false }),
    {
      // The page preloads by what the server writes into its head; the builder's own helper would be 3 KB for nothing.
      name: 'till:plain-imports',
      enforce: 'pre',
      load: (id) => (id.includes('vite/preload-helper') ? 'export const __vitePreload = (load) => load()' : undefined),
    },
    {
      // Nor is it wrapped around each import().
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
      // Making a schema has no effect besides its value: said so, those that the page does not use fall away.
      name: 'till:pure-schemas',
      enforce: 'pre',
      applyToEnvironment: ({ name }) => name === 'client',
      transform: (code, id) =>
        id.includes('/src/wire/')
          ? { code: code.replace(/(?<![\w.])(z\s*\.[\w.]+\(|text\(|queryInteger\()/g, '/*@__PURE__*/ $1'), map: null }
          : undefined,
    },
    {
      // Wallets on other devices are given a memory of ours; the library's own touches storage when it is loaded, and dies where that is forbidden.
      name: 'till:no-storage',
      enforce: 'pre',
      applyToEnvironment: ({ name }) => name === 'client',
      load: (id) =>
        id.includes('@walletconnect/keyvaluestorage/') ? 'export class KeyValueStorage {}\nexport default KeyValueStorage' : undefined,
    },
    { ...postgresPatch(), applyToEnvironment: ({ name }) => name === 'server' },
    {
      name: 'till:frames-file',
      applyToEnvironment: ({ name }) => name === 'till',
      transform: (code, id) =>
        id.endsWith('/embed/loader.ts')
          ? { code: code.replaceAll('TILL_FRAMES', JSON.stringify(`/assets/${framesFile()}`)), map: null }
          : undefined,
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
        rollupOptions: { input: 'src/main.tsx', output: { codeSplitting: { groups: pieces } } },
      },
    },
    frames: { consumer: 'client', build: embedBuild('embed/frames.ts', { entryFileNames: 'assets/till-frames-[hash].js' }) },
    till: { consumer: 'client', build: embedBuild('embed/loader.ts', { format: 'iife', entryFileNames: 'till.js' }) },
    render: {
      consumer: 'server',
      build: {
        ssr: true,
        // Its stylesheet is text in every response.
        cssMinify: true,
        outDir: `${dist}/render`,
        copyPublicDir: false,
        rollupOptions: { input: 'src/render.tsx' },
      },
    },
    server: {
      consumer: 'server',
      // In one file, what hundreds of files of packages hold is loaded in half the time. Those that read files of their own stay as they are.
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
      const { ssr: _, frames, till, ...rest } = builder.environments
      await Promise.all(Object.values(rest).map((e) => builder.build(e)))
      if (frames) await builder.build(frames)
      if (till) await builder.build(till)
    },
  },
})
