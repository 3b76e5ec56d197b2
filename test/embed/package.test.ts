import { execFile } from 'node:child_process'
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { full } from '../support/full.ts'
import { root } from '../support/root.ts'

/** The package as published, in a project independent of this one. */

const run = promisify(execFile)
const compiler = join(root, 'node_modules/typescript/bin/tsc')
let project: string
let tarball: string

beforeAll(async () => {
  project = mkdtempSync(join(tmpdir(), 'till-consumer-'))
  mkdirSync(join(project, 'node_modules'))
  const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', project], { cwd: join(root, 'embed') })
  tarball = join(project, stdout.trim().split('\n').at(-1)!)
  await run('tar', ['xzf', tarball, '-C', project])
  cpSync(join(project, 'package'), join(project, 'node_modules/@till-pay/checkout'), { recursive: true })
  symlinkSync(join(root, 'node_modules/preact'), join(project, 'node_modules/preact'))
  cpSync(join(root, 'test/embed/consumer'), project, { recursive: true })
  writeFileSync(join(project, 'package.json'), '{"type":"module","private":true}')
})
afterAll(() => rmSync(project, { recursive: true, force: true }))

async function compile(moduleResolution: 'bundler' | 'nodenext', files: string[]) {
  const module = moduleResolution === 'bundler' ? 'esnext' : 'nodenext'
  const options = {
    strict: true,
    noEmit: true,
    // Checking the language's own declarations takes most of the time and proves nothing here.
    skipDefaultLibCheck: true,
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

test('behavior: valid code compiles and invalid code does not, and Preact’s JSX knows the elements', async () => {
  expect(await compile('bundler', ['page.ts', 'backend.ts', 'view.tsx'])).toBe('')
})

test.runIf(full)('behavior: the types resolve with Node’s module resolution too', async () => {
  expect(await compile('nodenext', ['page.ts', 'backend.ts'])).toBe('')
})

test('default: in plain Node loadTill resolves to null, and the import runs nothing and defines no global', async () => {
  const script = `import { loadTill } from '@till-pay/checkout'; import '@till-pay/checkout/preact'; import { createTill } from '@till-pay/checkout/server'; import { verifyOrder } from '@till-pay/checkout/verify'
    const checked = verifyOrder({}, { factory: '', recipients: [] })
    console.log(await loadTill({ payUrl: 'https://pay.example' }), typeof createTill, 'Till' in globalThis, checked.problem)`
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], { cwd: project })
  expect(stdout.trim()).toBe('null function false malformed')
})

test('default: the package has the command, which runs by itself and with nothing beside it', async () => {
  const bin = join(project, 'package/dist/command.js')
  const { stdout } = await run(bin, ['--help'], { cwd: tmpdir() })
  expect(stdout).toContain('Usage: till <command> [options]')
  await expect(run(bin, ['lsiten'])).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining('There is no command "lsiten"') })
  expect(readFileSync(bin, 'utf8')).toContain('Copyright (c) 2011 Einar Otto Stangvik')
  expect(readFileSync(join(project, 'package/README.md'), 'utf8')).toContain('till listen --forward-to')
})

test('behavior: the tarball contains the required files only', () => {
  const files = readdirSync(join(project, 'package'), { recursive: true, encoding: 'utf8' }).sort()
  expect(files.filter((file) => /\.(js|json)$/.test(file))).toEqual([
    'custom-elements.json',
    'dist/command.js',
    'dist/load-till.js',
    'dist/server.js',
    'dist/verify.js',
    'frameworks/component.js',
    'frameworks/preact.js',
    'frameworks/react.js',
    'frameworks/types-only.js',
    'frameworks/vue.js',
    'package.json',
  ])
  expect(files.some((file) => /(?<!\.d)\.ts$/.test(file))).toBe(false)
})

test('behavior: publint and arethetypeswrong find nothing', async () => {
  const node = (tool: string, ...args: string[]) => run(process.execPath, [join(root, 'node_modules', tool), ...args])
  await expect(node('publint/src/cli.js', 'run', join(project, 'package'), '--strict')).resolves.toMatchObject({
    stdout: expect.stringContaining('All good!'),
  })
  // The package contains only ES modules for Node 20 and bundlers, so CommonJS resolution is not checked.
  await node('@arethetypeswrong/cli/dist/index.js', tarball, '--profile', 'esm-only')
})

const projects: Record<string, (folder: string) => Promise<unknown>> = {
  node: async (folder) =>
    expect(JSON.parse((await run(process.execPath, ['main.js'], { cwd: folder })).stdout)).toEqual([
      null,
      'ORDER_COMPLETED',
      'https://pay.example/v3/orders true',
    ]),
  vite: async (folder) => {
    await build(folder)
    const [script] = readdirSync(join(folder, 'dist/assets'))
    expect(readFileSync(join(folder, 'dist/assets', script!), 'utf8')).toContain('/till.js')
  },
  ssr: async (folder) => {
    for (const name of ['preact', 'preact-render-to-string'])
      symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name))
    await build(folder, '--ssr', 'render.tsx')
    const script = `import { render } from './dist/render.js'; console.log(await render())`
    expect((await run(process.execPath, ['--input-type=module', '-e', script], { cwd: folder })).stdout.trim()).toBe(
      'null <main><till-button order="ord_1" size="large">Pay</till-button><till-checkout order="ord_1" theme="dark"></till-checkout></main>',
    )
  },
}
const build = (folder: string, ...more: string[]) =>
  run(process.execPath, [join(root, 'node_modules/vite/bin/vite.js'), 'build', ...more], {
    cwd: folder,
    env: { ...process.env, NODE_ENV: 'production', VITEST: undefined },
  })

for (const [name, works] of Object.entries(projects)) {
  test.runIf(full)(`behavior: it installs into a project with ${name} and works there`, async () => {
    const folder = join(project, name)
    cpSync(join(root, 'test/embed/projects', name), folder, { recursive: true })
    copyFileSync(tarball, join(folder, 'till.tgz'))
    await run('npm', ['install', '--offline', '--no-audit', '--no-fund', '--silent'], { cwd: folder })
    await works(folder)
  })
}
