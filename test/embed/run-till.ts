import type { Terminal } from '../../embed/command/command.ts'
import { run } from '../../embed/command/run.ts'

type Env = Readonly<Record<string, string | undefined>>

/** Runs a command line against answers that the test gives, and returns what it printed. */
export async function till(line: string, { env = {}, answer }: { env?: Env; answer?: (url: string, init?: RequestInit) => Response } = {}) {
  const said: string[] = []
  const noted: string[] = []
  const asked: string[] = []
  const terminal: Terminal = {
    env,
    say: (text) => void said.push(text),
    note: (text) => void noted.push(text),
    signal: new AbortController().signal,
    fetch: async (input, init) => {
      asked.push(`${init?.method ?? 'GET'} ${String(input)}`)
      if (answer) return answer(String(input), init)
      throw new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED 127.0.0.1:4020') })
    },
  }
  const code = await run(line.split(' ').filter(Boolean), terminal)
  return { code, said: said.join('\n'), noted: noted.join('\n'), asked }
}

export const keys = { TILL_API_KEY: 'pk_1', TILL_API_SECRET: 'sk_1' }
