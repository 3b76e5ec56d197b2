import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { oncePerRun } from '../once-per-run.ts'
import { root } from '../root.ts'

/** Builds into a folder of this run, so that `npm start` or another run keeps its dist/. */
export async function builtDist(): Promise<string> {
  const runFolder = await oncePerRun('build', async (folder) => {
    await promisify(execFile)('node_modules/.bin/vite', ['build', '--app', '--logLevel', 'warn'], {
      cwd: root,
      // The test runner's own mode would make a development build.
      env: { ...process.env, TILL_DIST: join(folder, 'dist'), NODE_ENV: 'production', VITEST: undefined },
    })
  })
  return join(runFolder, 'dist')
}
