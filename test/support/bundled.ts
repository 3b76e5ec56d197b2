import { join } from 'node:path'
import { build } from 'vite'

/**
 * Bundles a module and all that it imports into a script that sets `name`, so that a test can run it as often as it likes, each time as new as in
 * a page that was just opened. What the module loads later is not part of it.
 */
export async function bundled(entry: string, name: string): Promise<string> {
  const isLater = (id: string, importer: string | undefined) => importer !== undefined && later.test(id)
  const built = await build({
    configFile: false,
    root,
    logLevel: 'silent',
    build: {
      write: false,
      minify: false,
      lib: { entry: join(root, entry), formats: ['iife'], name },
      rollupOptions: { external: isLater },
    },
  })
  const [bundle] = [built].flat()
  if (!bundle || !('output' in bundle)) throw new Error(`${entry} was not bundled`)
  return bundle.output[0].code
}

/** Where there is a DOM, its `URL` is another than that of files. */
const root = join(import.meta.dirname, '../..')
const later = /wallet-connect\.ts$|pay-on-solana\.ts$/
