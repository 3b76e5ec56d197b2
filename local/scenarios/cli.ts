import { scenarioCommand } from './command.ts'

process.exitCode = await scenarioCommand({
  args: process.argv.slice(2),
  dataFolder: process.env.TILL_DATA || '.till',
  say: (line) => void process.stdout.write(`${line}\n`),
  printError: (line) => void process.stderr.write(`${line}\n`),
})
