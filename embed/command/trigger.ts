import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { type Command, CommandFailed, type ExitCode, type Terminal, UsageError } from './command.ts'
import { isObject, isText, parseJson } from './json.ts'
import { wholeNumber } from './read-arguments.ts'
import { unreachable, urlOfService } from './service.ts'

export const trigger: Command = {
  name: 'trigger',
  operands: '[scenario]',
  mostOperands: 1,
  sentence: 'plays what happens to payments, on a local service',
  options: [
    { name: 'order', takes: '<order id>', help: 'play it on this order, and not on a new one' },
    { name: 'chain', takes: '<number>', help: 'play it on this chain, like 20000000000001 for bitcoin' },
    { name: 'look', takes: '<seconds>', help: 'how long each step is shown on the page, from 0 to 60. Without it: 0' },
  ],
  more: [
    'Without a name, lists the scenarios. Money is moved on the chains of a service in local mode ("npm start"); any other service is refused.',
    'It has worked if the order ends as the scenario says.',
  ],
  examples: [
    ['till trigger underpay', 'a payer sends three fifths'],
    ['till trigger underpay:37%', 'a payer sends 37 %'],
    ['till trigger late --order ord_Xk2f9', 'the time of your own order runs out, then the money comes'],
    ['till trigger', 'what there is'],
  ],
  async run(given, terminal) {
    const [name] = given.operands
    const order = given.valueOf('order')
    if (order !== undefined && !/^[\w-]{1,64}$/.test(order))
      throw new UsageError(`--order must be an order id, like ord_Xk2f9, and is "${order}".`)
    const chain = wholeNumber(given, 'chain', { min: 1, max: 999_999_999_999_999 })
    const look = wholeNumber(given, 'look', { min: 0, max: 60 }) ?? 0
    const url = urlOfService(given, terminal.env)
    const known = await scenariosOf(url, terminal)
    if (name === undefined) {
      const width = Math.max(...known.map((scenario) => scenario.name.length)) + 2
      for (const { name: listed, sentence, example } of known)
        terminal.say(`${listed.padEnd(width)}${sentence}${example === undefined ? '' : ` Also ${example}.`}`)
      return 0
    }
    const response = await terminal
      .fetch(`${url}/test/scenarios/${encodeURIComponent(name)}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ order_id: order, chain_id: chain, look_ms: look * 1000 }),
        redirect: 'error',
        signal: terminal.signal,
      })
      .catch((error: unknown) => {
        throw unreachable(url, error)
      })
    if (response.ok && response.body) return follow(response.body, terminal)
    const answer: unknown = await response.json().catch(() => undefined)
    const message = isObject(answer) && isText(answer.message) ? answer.message : `${url} answered ${response.status}.`
    if (response.status === 400 || !known.some((scenario) => scenario.name === name.split(':')[0])) throw new UsageError(message)
    throw new CommandFailed(message)
  },
}

interface Listed {
  readonly name: string
  readonly sentence: string
  /** The name with a parameter, if the scenario takes one. */
  readonly example: string | undefined
}

async function scenariosOf(url: string, { fetch, signal }: Terminal): Promise<readonly Listed[]> {
  const response = await fetch(`${url}/test/scenarios`, { signal, redirect: 'error' }).catch((error: unknown) => {
    throw unreachable(url, error)
  })
  const answer: unknown = response.ok ? await response.json().catch(() => undefined) : undefined
  const list: readonly unknown[] = isObject(answer) && Array.isArray(answer.scenarios) ? answer.scenarios : []
  const known = list.flatMap((entry) =>
    isObject(entry) && isText(entry.name) && isText(entry.sentence)
      ? [{ name: entry.name, sentence: entry.sentence, example: exampleIn(entry.parameter) }]
      : [],
  )
  if (known.length > 0) return known
  throw new CommandFailed(`${url} plays no scenarios: only a service in local mode does, which "npm start" starts. Nothing was moved.`)
}

const exampleIn = (parameter: unknown): string | undefined =>
  isObject(parameter) && isText(parameter.example) ? parameter.example : undefined

/** Prints the steps, which come line by line, until the scenario has ended. */
async function follow(body: NonNullable<Response['body']>, { say }: Terminal): Promise<ExitCode> {
  const lines = createInterface({ input: Readable.from(body) })[Symbol.asyncIterator]()
  for (;;) {
    // The stream may break off within a line or between two.
    const { value: line = '' } = await lines.next().catch(() => ({ value: '' }))
    const event = parseJson(line)
    if (!isObject(event)) throw new CommandFailed('not reached: the service stopped responding.')
    if (event.at === 'order' && isText(event.url)) say(`watch it at ${event.url}`)
    else if (event.at === 'step' && isText(event.text)) say(`  ${event.text}`)
    else if (event.at === 'reached' && isText(event.text)) return (say(`reached: ${event.text}`), 0)
    else if (event.at === 'failed' && isText(event.text)) throw new CommandFailed(`not reached: ${event.text}`)
  }
}
