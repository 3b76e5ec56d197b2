import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { promisify } from 'node:util'
import { inject } from 'vitest'
import { root } from '../root.ts'
import { until } from '../wait.ts'

/**
 * Builds into a folder of this run, so that `npm start` or another run keeps its dist/. The first caller builds and the others wait. The
 * folder is inside the repository because the service resolves packages by walking up.
 */
export async function builtDist(): Promise<string> {
  const folder = join(root, '.cache', inject('run'))
  const outcome = join(folder, 'outcome')
  mkdirSync(join(root, '.cache'), { recursive: true })
  if (isFirst(folder)) writeFileSync(outcome, await build(join(folder, 'dist')))
  await until(() => existsSync(outcome), { timeout: 150_000, every: 100, what: 'the build has ended' })
  const problem = readFileSync(outcome, 'utf8')
  if (problem) throw new Error(`The build failed:\n${problem}`)
  return join(folder, 'dist')
}

function isFirst(folder: string): boolean {
  try {
    mkdirSync(folder)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** Returns an empty string on success, otherwise the builder's output. */
async function build(dist: string): Promise<string> {
  try {
    await promisify(execFile)('node_modules/.bin/vite', ['build', '--app', '--logLevel', 'warn'], {
      cwd: root,
      // The test runner's own mode would make a development build.
      env: { ...process.env, TILL_DIST: dist, NODE_ENV: 'production', VITEST: undefined },
    })
    return ''
  } catch (error) {
    const { message, stdout, stderr } = error as { message: string; stdout?: string; stderr?: string }
    return [message, stdout, stderr].filter(Boolean).join('\n')
  }
}
