import type { Plugin } from 'vite'

/**
 * postgres.js 3.4.9 does not survive a restart of its server: a write just after a connection was lost ends the process with an error that
 * nobody can catch, and a cancelled write is awaited for ever, so that its connection never opens again (porsager/postgres#1154, #1208).
 * Until a release fixes this, the build patches it. A release that changes these lines stops the build.
 */
const repairs: readonly (readonly [was: string, is: string, times: number])[] = [
  // A transaction is rolled back on the connection that it has just lost.
  [
    '    if (q.cancelled)\n      return\n',
    "    if (q.cancelled)\n      return\n\n    if (socket === null)\n      return queryError(q, Errors.connection('CONNECTION_CLOSED', options))\n",
    1,
  ],
  // A cancelled write must not be awaited, nor sent to the next server.
  ['\n    clearImmediate(nextWriteTimer)\n', '\n    clearImmediate(nextWriteTimer)\n    chunk = nextWriteTimer = null\n', 2],
  // A new connection is lost while it reads the array types: the query that opened it fails with the same error and is the one to report it.
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
