import { ask } from './ask.ts'
import { CommandFailed, type Command, UsageError } from './command.ts'
import { isObject, isText } from './json.ts'
import { orderLine } from './order-line.ts'
import { wholeNumber } from './read-arguments.ts'
import { openService } from './service.ts'

export const orders: Command = {
  name: 'orders',
  operands: '[order id]',
  mostOperands: 1,
  sentence: "your organisation's orders, newest first, or one of them whole",
  options: [
    { name: 'limit', takes: '<number>', help: 'how many, from 1 to 100. Without it: 20' },
    { name: 'json', help: 'a list as JSON too, an order a line' },
  ],
  more: ['With an order id, prints the order as the API returns it.'],
  examples: [
    ['till orders', 'the newest twenty'],
    ['till orders ord_Xk2f9', 'one, with all its members, as JSON'],
    ['till orders --limit 100 --json | jq .status', 'for another program'],
  ],
  async run(given, terminal) {
    const [id] = given.operands
    if (id !== undefined && !/^[\w-]{1,64}$/.test(id))
      throw new UsageError(`"${id}" is not an order id. It looks like ord_Xk2f9, and is in the order's link.`)
    const limit = wholeNumber(given, 'limit', { min: 1, max: 100 })
    const service = await openService(given, terminal)
    if (id !== undefined) {
      const text = JSON.stringify(await ask(service, `/orders/${id}`, new URLSearchParams(), terminal), null, 2)
      for (const line of text.split('\n')) terminal.say(line)
      return 0
    }
    const answer = await ask(service, '/orders', new URLSearchParams(limit === undefined ? {} : { limit: String(limit) }), terminal)
    if (!isObject(answer) || !Array.isArray(answer.data)) throw new CommandFailed(`${service.url} answered without a list of orders.`)
    const found: unknown[] = answer.data
    for (const order of found) {
      if (given.has('json')) terminal.say(JSON.stringify(order))
      else if (isObject(order) && isText(order.created_at))
        terminal.say(`${order.created_at.slice(0, 19).replace('T', ' ')}  ${orderLine(order)}`)
    }
    if (found.length === 0) terminal.note('There are no orders yet. "till trigger underpay" makes one on a local service.')
    return 0
  },
}
