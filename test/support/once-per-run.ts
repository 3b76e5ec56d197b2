import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inject } from 'vitest'
import { root } from './root.ts'
import { until } from './wait.ts'

/**
 * Does something once for all test files of a run: the first caller does it and the others wait. `work` gets the folder of the run, which is inside
 * the repository because packages are resolved by walking up.
 */
export async function oncePerRun(name: string, work: (runFolder: string) => Promise<void>): Promise<string> {
  const runFolder = join(root, '.cache', inject('run'))
  const mark = join(runFolder, name)
  const outcome = join(mark, 'outcome')
  mkdirSync(runFolder, { recursive: true })
  if (isFirst(mark)) writeFileSync(outcome, await problemOf(work(runFolder)))
  await until(() => existsSync(outcome), { timeout: 300_000, every: 100, what: `${name} has ended` })
  const problem = readFileSync(outcome, 'utf8')
  if (problem) throw new Error(`${name} failed:\n${problem}`)
  return runFolder
}

function isFirst(mark: string): boolean {
  try {
    mkdirSync(mark)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** Resolves to an empty string on success, otherwise to what a program that was run has printed. */
async function problemOf(work: Promise<void>): Promise<string> {
  try {
    await work
    return ''
  } catch (error) {
    const { message, stdout, stderr } = error as { message: string; stdout?: string; stderr?: string }
    return [message, stdout, stderr].filter(Boolean).join('\n')
  }
}
