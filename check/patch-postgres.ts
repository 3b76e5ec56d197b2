import type { Plugin } from 'vite'

/**
 * postgres.js 3.4.9 does not survive its server's restart: what is written a moment after a connection was lost ends the process by an
 * error nobody can catch, and a write that was cancelled is waited for for ever, so that its connection never opens again
 * (porsager/postgres#1154, #1208). Until a release repairs it we build it in repaired. A release that changes these lines stops the build.
 */
const repairs: readonly (readonly [was: string, is: string, times: number])[] = [
  // A transaction is rolled back on the connection that it has just lost.
  [
    '    if (q.cancelled)\n      return\n',
    "    if (q.cancelled)\n      return\n\n    if (socket === null)\n      return queryError(q, Errors.connection('CONNECTION_CLOSED', options))\n",
    1,
  ],
  // What is not written any more is not waited for, and not written to the next server.
  ['\n    clearImmediate(nextWriteTimer)\n', '\n    clearImmediate(nextWriteTimer)\n    chunk = nextWriteTimer = null\n', 2],
]

export const patchPostgres = (code: string): string =>
  repairs.reduce((patched, [was, is, times]) => {
    const parts = patched.split(was)
    if (parts.length !== times + 1) throw new Error('postgres.js has changed: look whether check/patch-postgres.ts is still needed.')
    return parts.join(is)
  }, code)

export const postgresPatch = (): Plugin => ({
  name: 'till:patch-postgres',
  enforce: 'pre',
  transform: (code, id) => (id.endsWith('/postgres/src/connection.js') ? { code: patchPostgres(code), map: null } : undefined),
})
