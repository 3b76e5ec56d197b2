import { run } from './run.ts'

const stopping = new AbortController()
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stopping.abort())
// Whoever reads the output has gone, as `head` does.
process.stdout.on('error', () => stopping.abort())

process.exitCode = await run(process.argv.slice(2), {
  env: process.env,
  say: (line) => void process.stdout.write(`${line}\n`),
  note: (line) => void process.stderr.write(`${line}\n`),
  fetch,
  signal: stopping.signal,
})
