import { execFileSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { build } from 'vite'

/**
 * The package has the loader, the API client for servers, the check of orders, the command for developers, and types. The script itself is always
 * loaded from {pay_url}. The argument is another folder than `dist` to build into. Everything but the loader is bundled into one file each.
 */
const here = import.meta.dirname
const dist = resolve(process.argv[2] ?? join(here, 'dist'))
const terms = join(here, '../src/wire/terms')
const { resolve: resolvePackage } = createRequire(import.meta.url)
const licenseOf = (name) => readFileSync(join(dirname(resolvePackage(`${name}/package.json`)), 'LICENSE'), 'utf8')
rmSync(dist, { recursive: true, force: true })
const tsc = join(dirname(resolvePackage('typescript/package.json')), 'bin/tsc')
execFileSync(process.execPath, [tsc, '-p', join(here, 'tsconfig.publish.json'), '--outDir', dist], { stdio: 'inherit' })
for (const file of readdirSync(dist, { recursive: true })) {
  const path = join(dist, file)
  if (file.endsWith('.js') && file !== 'load-till.js') rmSync(path)
  // The compiler rewrites import paths in the scripts, but not in the type declarations.
  if (file.endsWith('.d.ts')) writeFileSync(path, readFileSync(path, 'utf8').replace(/(from '\.{1,2}\/[\w/-]+)\.ts'/g, "$1.js'"))
}
const bundle = (fileName, entry, minify) =>
  build({
    configFile: false,
    logLevel: 'warn',
    build: {
      outDir: dist,
      emptyOutDir: false,
      copyPublicDir: false,
      target: 'es2022',
      minify,
      lib: { entry, formats: ['es'], fileName },
    },
  })
// Whoever debugs a server reads it there.
await bundle('server', join(here, 'server.ts'), false)
// The check is the page's own. It is bundled, because the package has no dependencies and the check needs a hash function.
await bundle('verify', join(terms, 'verify-order.ts'), true)
// The command connects to a service's socket, which Node can do by itself only from its version 22, so it is bundled with `ws`.
await build({
  configFile: false,
  logLevel: 'warn',
  ssr: { noExternal: true },
  build: {
    ssr: true,
    outDir: dist,
    emptyOutDir: false,
    copyPublicDir: false,
    target: 'node20',
    rollupOptions: {
      input: join(here, 'command/main.ts'),
      // Optional packages of `ws`, which it does without.
      external: ['bufferutil', 'utf-8-validate'],
      output: { entryFileNames: 'command.js', banner: `#!/usr/bin/env node\n/*! With ws:\n${licenseOf('ws')}*/` },
    },
  },
})
chmodSync(join(dist, 'command.js'), 0o755)
writeFileSync(
  join(dist, 'verify.d.ts'),
  `${readFileSync(join(terms, 'verified-order.ts'), 'utf8')}\nexport declare const verifyOrder: VerifyOrder\n`,
)
