import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * `npm run check` runs the checks that do not need a running product. The two lanes run in parallel, and a failed step does not stop the
 * others, so that one run shows every failure.
 */
const root = dirname(import.meta.dirname)
const dist = join('.cache', `check-${process.pid}`)

const lanes = [
  [
    ['format', 'oxfmt', '--check', '.'],
    ['lint', 'oxlint', '--deny-warnings'],
    ['types', 'tsc', '-b'],
  ],
  [
    ['unused', 'knip'],
    ['build', 'vite', 'build', '--app', '--logLevel', 'warn'],
    ['sizes', 'size-limit'],
    ['contracts', 'node', 'server/chains/evm/contracts/compile.mjs', '--check'],
  ],
]

function run([name, program, ...args]) {
  const started = performance.now()
  return new Promise((resolve) => {
    const command = program === 'node' ? process.execPath : join('node_modules/.bin', program)
    const child = spawn(command, args, { cwd: root, env: { ...process.env, TILL_DIST: dist, FORCE_COLOR: '0' } })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
    child.on('error', (error) => (output += error.message))
    child.on('close', (status) => {
      const seconds = ((performance.now() - started) / 1000).toFixed(1)
      console.log(`${status === 0 ? '✓' : '✗'} ${name.padEnd(10)} ${seconds} s`)
      resolve({ name, ok: status === 0, output })
    })
  })
}

async function runLane(steps) {
  const results = []
  for (const step of steps) results.push(await run(step))
  return results
}

const results = (await Promise.all(lanes.map(runLane))).flat()
rmSync(join(root, dist), { recursive: true, force: true })
const failed = results.filter(({ ok }) => !ok)
for (const { name, output } of failed) console.log(`\n── ${name}\n${output.trim()}`)
process.exitCode = failed.length === 0 ? 0 : 1
