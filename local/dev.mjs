import { spawn } from 'node:child_process'
import { watch } from 'node:fs'
import { once } from 'node:events'
import { dirname, join } from 'node:path'

/** `npm run dev` builds and runs, and does so again on every change. A build that fails leaves the running service as it is. */
const root = dirname(import.meta.dirname)
const env = { ...process.env, TILL_DIST: 'dist' }

let service
let stopping = false
let timer
let working = Promise.resolve()

async function build() {
  const child = spawn(join(root, 'node_modules/.bin/vite'), ['build', '--app', '--logLevel', 'warn'], { cwd: root, env, stdio: 'inherit' })
  const [status] = await once(child, 'close')
  return status === 0
}

async function stop() {
  if (!service || service.exitCode !== null || service.signalCode !== null) return
  service.kill('SIGTERM')
  await once(service, 'close')
}

function start() {
  service = spawn(process.execPath, ['--enable-source-maps', 'dist/server/main.js'], { cwd: root, env, stdio: 'inherit' })
}

async function renew() {
  if (stopping || !(await build())) return
  await stop()
  if (!stopping) start()
}

function changed(folder, file) {
  // Editors also write temporary files and save in bursts, so only source files count, and a burst is one change.
  if (!/\.(tsx?|css|html|json|svg|sql|mjs)$/.test(file ?? '')) return
  clearTimeout(timer)
  timer = setTimeout(() => {
    console.log(`changed: ${join(folder, file)}`)
    working = working.then(renew)
  }, 150)
}

for (const folder of ['src', 'server', 'local', 'embed', 'demo', 'public']) {
  watch(join(root, folder), { recursive: true }, (_, file) => changed(folder, file)).on('error', () => {})
}
for (const signal of ['SIGINT', 'SIGTERM']) {
  // Ctrl-C arrives twice, from the terminal and from npm, so the second signal is ignored.
  process.on(signal, async () => {
    if (stopping) return
    stopping = true
    clearTimeout(timer)
    await stop()
    process.exit(0)
  })
}
working = renew()
