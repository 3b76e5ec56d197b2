import { randomBytes } from 'node:crypto'
import { announcements } from './announced.ts'
import { type Command, UsageError } from './command.ts'
import { followEvents } from './follow-events.ts'
import { forward, readReceiver } from './forward.ts'
import { eventLine, type OrderEvent } from './read-event.ts'
import type { Arguments } from './read-arguments.ts'
import { openService } from './service.ts'

/** Events wait for the receiver, in order. If it is slower than so many, the oldest are left out. */
const mostWaiting = 1_000

const eventNames = [
  'ORDER_CREATED',
  'ORDER_AWAITING_PAYMENT',
  'ORDER_CONFIRMING',
  'ORDER_PARTIAL_PAYMENT',
  'ORDER_EXECUTING',
  'ORDER_COMPLETED',
  'ORDER_EXPIRED',
  'ORDER_ERROR',
  'ORDER_REFUNDED',
]

export const listen: Command = {
  name: 'listen',
  operands: '--forward-to <url>',
  mostOperands: 0,
  sentence: 'forwards events to your own server, signed as webhooks are, without a public address',
  options: [
    { name: 'forward-to', takes: '<url>', help: 'where your server takes webhooks' },
    { name: 'events', takes: '<names>', help: 'only these, like ORDER_COMPLETED,ORDER_EXPIRED. Without it: all' },
    { name: 'allow-remote', help: 'forward also to other machines' },
  ],
  more: [
    'Each event is a POST of {event, delivered_at, order} with Till-Webhook-Id and Till-Webhook-Signature, signed with TILL_WEBHOOK_SECRET, with the',
    "local service's own secret, or else with one that is made up and printed. It is sent once. What happens while the connection is lost is not",
    'sent at all, so fulfil orders from real webhooks. Ctrl-C ends it.',
  ],
  examples: [
    ['till listen --forward-to http://localhost:3000/hook', 'everything that happens to your orders'],
    ['till listen --forward-to http://localhost:3000/hook --events ORDER_COMPLETED', 'only what you ship for'],
  ],
  async run(given, terminal) {
    const { say, note, signal } = terminal
    const to = readReceiver(given.valueOf('forward-to'), given.has('allow-remote'))
    const wanted = wantedEvents(given)
    const service = await openService(given, terminal)
    const secret = service.webhookSecret ?? randomBytes(24).toString('base64url')
    note(signedWith(terminal.env.TILL_WEBHOOK_SECRET, service.webhookSecret, secret))
    const isAnnounced = announcements()
    const waiting: OrderEvent[] = []
    let sending: Promise<void> | undefined
    const send = async () => {
      for (let event = waiting.shift(); event && !signal.aborted; event = waiting.shift())
        say(eventLine(event, `  → ${await forward(event, to, secret, terminal)}`))
      sending = undefined
    }
    await followEvents({
      service,
      signal,
      onEvent(event) {
        if (!isAnnounced(event) || !wanted.has(event.event)) return
        waiting.push(event)
        if (waiting.length > mostWaiting && waiting.shift()) note('your server is too slow: an event is left out')
        sending ??= send()
      },
      onSubscribed: (isAgain) =>
        note(
          isAgain
            ? 'connected again; what happened meanwhile is not forwarded, and is in GET /events'
            : `listening to ${service.url}, forwarding to ${to.href}`,
        ),
      onLost: (reason, retryInMs) => note(`the connection is lost (${reason}); connecting again in ${retryInMs / 1000} s`),
    })
    await sending
    return 0
  },
}

function wantedEvents(given: Arguments): ReadonlySet<string> {
  const names = given.valueOf('events')?.split(',') ?? eventNames
  for (const name of names)
    if (!eventNames.includes(name)) throw new UsageError(`--events has "${name}", which is no event. There are ${eventNames.join(', ')}.`)
  return new Set(names)
}

/** A receiver that checks with another secret answers every delivery with 401. */
function signedWith(own: string | undefined, known: string | undefined, secret: string): string {
  if (own) return 'signing with TILL_WEBHOOK_SECRET'
  const source = known === undefined ? `${secret}, which is made up for now` : "the secret of the local service's own webhook"
  return `signing with ${source}. Set TILL_WEBHOOK_SECRET to the secret that your server checks with`
}
