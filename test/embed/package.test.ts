import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { full } from '../support/full.ts'
import { root } from '../support/root.ts'

/** The package as it is published, in a project that knows nothing of this one. */

const run = promisify(execFile)
const compiler = join(root, 'node_modules/typescript/bin/tsc')
let project: string

beforeAll(async () => {
  project = mkdtempSync(join(tmpdir(), 'till-consumer-'))
  mkdirSync(join(project, 'node_modules'))
  const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', project], { cwd: join(root, 'embed') })
  await run('tar', ['xzf', join(project, stdout.trim().split('\n').at(-1)!), '-C', project])
  cpSync(join(project, 'package'), join(project, 'node_modules/till'), { recursive: true })
  symlinkSync(join(root, 'node_modules/preact'), join(project, 'node_modules/preact'))
  cpSync(join(root, 'test/embed/consumer'), project, { recursive: true })
  writeFileSync(join(project, 'package.json'), '{"type":"module","private":true}')
}, 60_000)
afterAll(() => rmSync(project, { recursive: true, force: true }))

const compile = async (moduleResolution: 'bundler' | 'nodenext', ...files: string[]) => {
  const module = moduleResolution === 'bundler' ? 'esnext' : 'nodenext'
  const options = {
    strict: true,
    noEmit: true,
    target: 'es2022',
    lib: ['es2023', 'dom', 'dom.iterable'],
    types: [],
    jsx: 'react-jsx',
    jsxImportSource: 'preact',
    module,
    moduleResolution,
  }
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files }))
  return run(process.execPath, [compiler, '-p', project]).then(
    () => '',
    (error: { stdout: string }) => error.stdout,
  )
}

test('behavior: types say what must and what must not compile, however they are found', { timeout: 180_000 }, async () => {
  expect(await compile('bundler', 'page.ts', 'backend.ts')).toBe('')
  expect(await compile('nodenext', 'page.ts', 'backend.ts')).toBe('')
})

test('behavior: JSX knows the elements', { timeout: 120_000 }, async () => {
  expect(await compile('bundler', 'view.tsx')).toBe('')
})

test('default: plain Node: null on a server, nothing run, nothing global', { timeout: 30_000 }, async () => {
  const script = `import { loadTill } from 'till'; import 'till/react'; import { createTill } from 'till/server'
    console.log(await loadTill({ payUrl: 'https://pay.example' }), typeof createTill, 'Till' in globalThis)`
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], { cwd: project })
  expect(stdout.trim()).toBe('null function false')
})

test('behavior: it packs what it needs and nothing else', () => {
  const files = readdirSync(join(project, 'package'), { recursive: true, encoding: 'utf8' }).sort()
  expect(files.filter((file) => /\.(js|json)$/.test(file))).toEqual([
    'custom-elements.json',
    'dist/load-till.js',
    'dist/server.js',
    'empty.js',
    'package.json',
  ])
  expect(files.some((file) => /(?<!\.d)\.ts$/.test(file))).toBe(false)
})

test.runIf(full)('behavior: Vite builds it, for browsers and for a server', { timeout: 60_000 }, async () => {
  writeFileSync(join(project, 'index.html'), '<script type="module" src="/page.ts"></script>')
  const vite = join(root, 'node_modules/vite/bin/vite.js')
  const env = { ...process.env, NODE_ENV: 'production', VITEST: undefined }
  await run(process.execPath, [vite, 'build', '--outDir', 'browser'], { cwd: project, env })
  await run(process.execPath, [vite, 'build', '--outDir', 'server', '--ssr', 'backend.ts'], { cwd: project, env })
  const { stdout } = await run(
    process.execPath,
    ['--input-type=module', '-e', `import { wait } from './server/backend.js'; console.log(typeof wait)`],
    { cwd: project },
  )
  expect(stdout.trim()).toBe('function')
})
