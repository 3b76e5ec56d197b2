import { readFileSync } from 'node:fs'
import { relative } from 'node:path'

/** Reads one report of the test runner. Its failures are named here too, because whoever keeps only the end of a long log needs them there. */
function read(file) {
  try {
    const report = JSON.parse(readFileSync(file, 'utf8'))
    const failures = report.testResults.flatMap(failuresIn)
    return { passed: report.numPassedTests, failures, ok: report.success }
  } catch {
    return { passed: 0, failures: [], ok: false }
  }
}

/** A test file that could not be loaded counts as one failure, because vitest's own numbers leave it out. */
function failuresIn({ name, status, message, assertionResults }) {
  const failed = assertionResults.filter((test) => test.status === 'failed')
  const file = relative(process.cwd(), name)
  if (failed.length === 0) return status === 'failed' ? [`${file}\n${start(message)}`] : []
  return failed.map(({ fullName, failureMessages }) => `${file} > ${fullName}\n${start(failureMessages.join('\n'))}`)
}

const start = (text = '') =>
  text
    .split('\n')
    .filter((line) => !line.includes('node_modules'))
    .slice(0, 12)
    .map((line) => `    ${line.slice(0, 300)}`)
    .join('\n')

const reports = process.argv.slice(2).map(read)
const failures = reports.flatMap((report) => report.failures)
for (const failure of failures) console.log(`FAILED ${failure}`)
console.log(`${reports.reduce((sum, { passed }) => sum + passed, 0)} passed, ${failures.length} failed`)
process.exitCode = reports.every(({ passed, ok }) => ok && passed > 0) && failures.length === 0 ? 0 : 1
