import preact from '@preact/preset-vite'
import { defineConfig } from 'vite'

/** Tests build into a folder of their own, so that a running service keeps its files. */
const dist = process.env.TILL_DIST ?? 'dist'

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
      // Making a schema has no effect besides its value: said so, those that the page does not use fall away.
      name: 'till:pure-schemas',
      enforce: 'pre',
      applyToEnvironment: ({ name }) => name === 'client',
      transform: (code, id) => (id.includes('/src/wire/') ? { code: code.replace(/(?<![\w.])(z\s*\.[\w.]+\(|text\(|queryInteger\()/g, '/*@__PURE__*/ $1'), map: null } : undefined),
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
        rollupOptions: { input: 'src/main.tsx' },
      },
    },
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
      build: {
        ssr: true,
        outDir: `${dist}/server`,
        copyPublicDir: false,
        sourcemap: true,
        rollupOptions: { input: 'server/main.ts' },
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
      await Promise.all(
        Object.values(builder.environments)
          .filter((e) => e.name !== 'ssr')
          .map((e) => builder.build(e)),
      )
    },
  },
})
