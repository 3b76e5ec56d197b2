import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { parseArgs } from 'node:util'
import * as z from 'zod/mini'
import { recordedUrl } from '../datafolder.ts'
import { findScenario } from './find-scenario.ts'
import { scenarios } from './table.ts'
import { PlayEvent } from './play.ts'

/** `npm run scenario -- <name>` exits with 0 if the scenario ended as it should, 1 if not or nothing runs, and 2 for wrong arguments. */
export interface Terminal {
  readonly args: readonly string[]
  readonly dataFolder: string
  say(line: string): void
  printError(line: string): void
}

const usage = `npm run scenario -- <name>[:<parameter>] [--chain id] [--url http://localhost:4020] [--look seconds]

${scenarios.map(({ name, sentence }) => `  ${name.padEnd(20)}${sentence}`).join('\n')}

With a parameter: ${scenarios.flatMap(({ parameter }) => parameter?.example ?? []).join(', ')}`

interface Command {
  readonly name: string | undefined
  readonly url: string | undefined
  readonly chainId: number | undefined
  readonly lookMs: number | undefined
}

function parseCommand(args: readonly string[]): Command | string {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { url: { type: 'string' }, chain: { type: 'string' }, look: { type: 'string' } },
    })
    const look = values.look === undefined ? undefined : Number(values.look)
    if (look !== undefined && !(look >= 0 && look <= 60)) return '--look takes seconds, from 0 to 60.'
    if (values.chain !== undefined && !/^\d{1,15}$/.test(values.chain)) return '--chain takes the number of a chain.'
    const chainId = values.chain === undefined ? undefined : Number(values.chain)
    if (positionals.length > 1) return 'One scenario at a time.'
    return { name: positionals[0], url: values.url, chainId, lookMs: look === undefined ? undefined : Math.round(look * 1000) }
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

export async function scenarioCommand(terminal: Terminal): Promise<number> {
  const { say, printError } = terminal
  const command = parseCommand(terminal.args)
  if (typeof command === 'string') return (printError(command), 2)
  if (command.name === undefined) return (say(usage), 0)
  const found = findScenario(command.name)
  if ('problem' in found) return (printError(found.problem), 2)
  const url = command.url ?? recordedUrl(terminal.dataFolder)
  if (url === undefined) return (printError('Till does not run here: start it with npm start, or say where it is with --url.'), 1)
  const answer = await fetch(`${url.replace(/\/$/, '')}/test/scenarios/${encodeURIComponent(found.scenario.name)}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ chain_id: command.chainId, look_ms: command.lookMs }),
  }).catch(() => undefined)
  if (!answer) return (printError(`Nothing answers at ${url}: start Till with npm start, or say where it is with --url.`), 1)
  if (!answer.ok || !answer.body) return (printError(`${url} plays no scenarios: only the local mode of npm start does.`), 1)
  return follow(answer.body, terminal)
}

async function follow(body: ReadableStream<Uint8Array>, { say, printError }: Terminal): Promise<number> {
  try {
    for await (const line of createInterface({ input: Readable.from(body) })) {
      const event = z.parse(PlayEvent, JSON.parse(line))
      switch (event.at) {
        case 'order':
          say(`watch it at ${event.url}\n`)
          break
        case 'step':
          say(`  ${event.text}`)
          break
        case 'reached':
          say(`\nreached: ${event.text}`)
          return 0
        case 'failed':
          printError(`\nnot reached: ${event.text}`)
          return 1
        default:
          event satisfies never
      }
    }
  } catch {
    // The stream broke off, within a line or between two, so the ending is not known.
  }
  printError('\nnot reached: the service stopped responding.')
  return 1
}
