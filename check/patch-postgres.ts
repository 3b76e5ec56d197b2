import type { Plugin } from 'vite'

/**
 * postgres.js 3.4.9 does not survive a restart of the database server. A write just after the connection was lost ends the process with an
 * error that cannot be caught, and a cancelled write is awaited forever, so its connection never opens again (porsager/postgres#1154 and
 * #1208). After a query that failed half-way, the next one of that connection has holes in place of its first rows, so what is there is not
 * found. The build patches it until a release fixes this, and fails if a release changes these lines.
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
  transform: (code, id) => (id.endsWith('/postgres/src/connection.js') ? { code: patchPostgres(code), map: null } : undefined),
})
