import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { oncePerRun } from './once-per-run.ts'
import { root } from './root.ts'

const run = promisify(execFile)
const sources = join(root, 'test/frameworks')

/**
 * A folder with the real frameworks and our package as it is published. It is not in the project's own tree of packages, where react is
 * Preact's. The frameworks are installed once for a lock file.
 */
export async function frameworksFolder(): Promise<string> {
  const lock = readFileSync(join(sources, 'package-lock.json'))
  const folder = join(root, '.cache', `frameworks-${createHash('sha256').update(lock).digest('hex').slice(0, 12)}`)
  await oncePerRun('frameworks', async () => {
    if (!existsSync(folder)) await install(folder)
    for (const name of ['apps', 'types', 'vite.config.js']) cpSync(join(sources, name), join(folder, name), { recursive: true })
    await publishInto(folder)
  })
  return folder
}

/** Installs aside and renames, so that an interrupted installation is not taken for a whole one. */
async function install(folder: string): Promise<void> {
  const aside = `${folder}.${process.pid}`
  mkdirSync(aside, { recursive: true })
  for (const name of ['package.json', 'package-lock.json']) cpSync(join(sources, name), join(aside, name))
  await run('npm', ['ci', '--no-audit', '--no-fund', '--ignore-scripts'], { cwd: aside })
  renameSync(aside, folder)
}

async function publishInto(folder: string): Promise<void> {
  const packed = join(folder, 'packed')
  rmSync(packed, { recursive: true, force: true })
  mkdirSync(packed)
  const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', packed], { cwd: join(root, 'embed') })
  const installed = join(folder, 'node_modules/@till-pay/checkout')
  rmSync(installed, { recursive: true, force: true })
  mkdirSync(installed, { recursive: true })
  await run('tar', ['xzf', join(packed, stdout.trim().split('\n').at(-1)!), '-C', installed, '--strip-components=1'])
}

/** Builds the page of a framework into one script. */
export async function buildShop(folder: string, framework: string): Promise<string> {
  await run(process.execPath, [join(folder, 'node_modules/vite/bin/vite.js'), 'build', '--mode', framework], {
    cwd: folder,
    env: { ...process.env, NODE_ENV: 'production', VITEST: undefined },
  })
  return readFileSync(join(folder, 'dist', framework, 'main.js'), 'utf8')
}

/** What a server renders for the page that is hydrated. */
export async function renderShop(folder: string): Promise<string> {
  const { stdout } = await run(process.execPath, [join(folder, 'apps/hydrated/render.js')], {
    cwd: folder,
    env: { ...process.env, NODE_ENV: 'production' },
  })
  return stdout.trim()
}

/** The complaints of a strict compiler about a file in types/, as in a project of that framework. */
export async function typeErrors(folder: string, file: string, jsxImportSource: string): Promise<string> {
  const options = [
    '--ignoreConfig',
    '--strict',
    '--noEmit',
    '--target',
    'es2022',
    '--module',
    'esnext',
    '--moduleResolution',
    'bundler',
    '--typeRoots',
    'none',
  ]
  const jsx = ['--jsx', jsxImportSource === 'solid-js' ? 'preserve' : 'react-jsx', '--jsxImportSource', jsxImportSource]
  return run(
    process.execPath,
    [join(folder, 'node_modules/typescript/bin/tsc'), ...options, ...jsx, '--skipDefaultLibCheck', join('types', file)],
    { cwd: folder },
  ).then(
    () => '',
    (error: { stdout: string }) => error.stdout,
  )
}
