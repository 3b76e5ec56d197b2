import { readFileSync } from 'node:fs'

/** A test file that could not be loaded counts as one failure, because vitest's own numbers leave it out. */
function count(file) {
  try {
    const report = JSON.parse(readFileSync(file, 'utf8'))
    const unloaded = report.testResults.filter(
      ({ status, assertionResults }) => status === 'failed' && assertionResults.every((t) => t.status !== 'failed'),
    )
    return { passed: report.numPassedTests, failed: report.numFailedTests + unloaded.length, ok: report.success }
  } catch {
    return { passed: 0, failed: 0, ok: false }
  }
}

const counts = process.argv.slice(2).map(count)
const sum = (member) => counts.reduce((total, counted) => total + counted[member], 0)
console.log(`${sum('passed')} passed, ${sum('failed')} failed`)
process.exitCode = counts.every(({ passed, failed, ok }) => ok && passed > 0 && failed === 0) ? 0 : 1
