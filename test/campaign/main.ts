import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { root } from '../support/root.ts'
import { faults } from './faults.ts'
import { payments } from './paying.ts'
import { makePlan } from './plan.ts'
import { tooLate, writtenNoticed } from './noticed.ts'
import { written } from './report.ts'
import { CampaignLost, runCampaign } from './run.ts'
import { startWorld } from './world.ts'

/**
 * Runs `npm run campaign -- --seed 7 --rounds 40`: every fault while payments of every kind run. `--faults 'dust, page flood'` selects
 * faults; `--dist` names an existing build, and otherwise one is made.
 */

function buildPage(): string {
  const folder = '.cache/campaign/dist'
  execFileSync('node_modules/.bin/vite', ['build', '--app', '--logLevel', 'warn'], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, TILL_DIST: folder },
  })
  return join(root, folder)
}

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    rounds: { type: 'string', default: '40' },
    faults: { type: 'string', default: Object.keys(faults).join() },
    dist: { type: 'string' },
  },
})
const chosen = values.faults.split(',').map((name) => name.trim())
const unknown = chosen.find((name) => !Object.hasOwn(faults, name))
if (unknown !== undefined) {
  console.error(
    `There is no fault ${JSON.stringify(unknown)}; there are:\n${Object.keys(faults)
      .map((name) => `  ${name}`)
      .join('\n')}`,
  )
  process.exit(2)
}
const seed = Number(values.seed ?? Math.floor(Math.random() * 1_000_000))
const rounds = Number(values.rounds)
if (!Number.isSafeInteger(seed) || !Number.isSafeInteger(rounds) || rounds < 1) {
  console.error('--seed and --rounds are whole numbers.')
  process.exit(2)
}
console.log(`seed ${seed}`)
const paymentsPerRound = 5
const plan = makePlan({
  seed,
  rounds,
  // Every kind of payment needs at least three fault-free times.
  quietRounds: Math.ceil((3 * Object.keys(payments).length) / paymentsPerRound),
  paymentKinds: Object.keys(payments),
  faults: Object.fromEntries(chosen.map((name) => [name, faults[name]!])),
  paymentsPerRound,
  longestMs: 3_000,
})
const dist = values.dist ?? buildPage()
const began = performance.now()
const world = await startWorld(dist)
try {
  const report = await runCampaign(world, plan, { log: (line) => console.log(line) })
  console.log(`\n${written(report)}, ${((performance.now() - began) / 1000).toFixed(0)} s`)
  const late = tooLate(report.noticed)
  if (late.length > 0) {
    console.error(`\nit is not true that no honest payment was late:\n${late.map((line) => `  ${line}`).join('\n')}`)
    process.exitCode = 1
  }
} catch (error) {
  if (error instanceof CampaignLost && error.noticed) console.error(`\n${writtenNoticed(error.noticed)}`)
  console.error(error instanceof CampaignLost ? `\n${error.message}` : error)
  process.exitCode = 1
} finally {
  await world.close()
}
