import { type Command, UsageError } from './command.ts'
import { followEvents } from './follow-events.ts'
import { orderLine } from './order-line.ts'
import { eventLine } from './read-event.ts'
import { openService } from './service.ts'

export const events: Command = {
  name: 'events',
  operands: '--follow',
  mostOperands: 0,
  sentence: 'what happens to your orders, as it happens',
  options: [
    { name: 'follow', help: 'go on until you press Ctrl-C' },
    { name: 'json', help: 'each event as JSON, with the whole order, an event a line' },
  ],
  more: [
    'It shows also the progress of orders, which webhooks do not deliver. After a lost connection nothing is repeated: GET /events has it.',
  ],
  examples: [
    ['till events --follow', 'an event a line'],
    ['till events --follow --json | jq .order.status', 'for another program'],
  ],
  async run(given, terminal) {
    if (!given.has('follow'))
      throw new UsageError(
        '"till events" needs --follow: it shows what happens from now on. What has happened is in GET /events of the API, and "till orders" shows what there is.',
      )
    const service = await openService(given, terminal)
    await followEvents({
      service,
      signal: terminal.signal,
      onEvent: (event) =>
        terminal.say(given.has('json') ? event.body : eventLine(event, `  ${orderLine({ ...event.order, id: undefined })}`)),
      onSubscribed: (isAgain) => terminal.note(isAgain ? 'connected again' : `following the orders of ${service.apiKey} at ${service.url}`),
      onLost: (reason, retryInMs) => terminal.note(`the connection is lost (${reason}); connecting again in ${retryInMs / 1000} s`),
    })
    return 0
  },
}
