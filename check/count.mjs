import { readFileSync } from 'node:fs'

/** Prints `N passed, N failed` from vitest's JSON report; a file that could not even be loaded counts as one failure. */
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

const { passed, failed, ok } = count(process.argv[2])
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = ok && passed > 0 && failed === 0 ? 0 : 1
