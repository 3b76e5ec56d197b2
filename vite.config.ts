import preact from '@preact/preset-vite'
import { defineConfig } from 'vite'

/** Tests build into a folder of their own, so that a running service keeps its files. */
const dist = process.env.TILL_DIST ?? 'dist'

/** One build, four environments: the page for browsers, the page as a string, the merchant's script, the service. */
export default defineConfig({
  plugins: [preact({ devToolsEnabled: false })],
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
