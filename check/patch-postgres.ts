import type { Plugin } from 'vite'

/**
 * postgres.js 3.4.9 does not survive a restart of the database server (docs/decisions/0022-mended-driver.md). The build and the tests patch
 * it until a release fixes this, and fail if a release changes these lines.
 */
const repairs: readonly (readonly [was: string, is: string, times: number])[] = [
  // This covers the rollback of a transaction on a connection that was just lost.
  [
    '    if (q.cancelled)\n      return\n',
    "    if (q.cancelled)\n      return\n\n    if (socket === null)\n      return queryError(q, Errors.connection('CONNECTION_CLOSED', options))\n",
    1,
  ],
  // A cancelled write must not be awaited or sent on the next connection.
  ['\n    clearImmediate(nextWriteTimer)\n', '\n    clearImmediate(nextWriteTimer)\n    chunk = nextWriteTimer = null\n', 2],
  // The rows of a query begin at 0, also after one that failed or whose connection was lost before it had all of its own.
  ['    result = new Result()\n    connectTimer.cancel()\n', '    result = new Result()\n    rows = 0\n    connectTimer.cancel()\n', 1],
  // What the server said when it ended the last connection is not the answer to the first query of the next one.
  [
    '      statementCount = 1\n      lifeTimer.start()\n',
    '      statementCount = 1\n      query = results = errorResponse = null\n      result = new Result()\n      lifeTimer.start()\n',
    1,
  ],
  // If a new connection is lost while it reads the array types, the query that opened it fails with the same error and reports it.
  ['        return fetchArrayTypes()\n', '        return fetchArrayTypes().catch(() => undefined)\n', 1],
]

export const patchPostgres = (code: string): string =>
  repairs.reduce((patched, [was, is, times]) => {
    const parts = patched.split(was)
    if (parts.length !== times + 1) throw new Error('postgres.js has changed: check whether check/patch-postgres.ts is still needed.')
    return parts.join(is)
  }, code)

export const postgresPatch = (): Plugin => ({
  name: 'till:patch-postgres',
  enforce: 'pre',
  // Vitest adds a version to the names of packages.
  transform: (code, id) => (/\/postgres\/src\/connection\.js(\?|$)/.test(id) ? { code: patchPostgres(code), map: null } : undefined),
})
