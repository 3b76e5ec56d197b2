import { apply } from './apply.ts'
import { arrived, progressed, vanished, withRelease } from './arriving.ts'
import { arrivalByBalance } from './balance.ts'
import { authorized, card, cardNews, choose, extend, shortened } from './choosing.ts'
import { accept, type Command, type Decision, type Rules } from './commands.ts'
import type { Order } from './order.ts'
import { refundOutcome, settlement } from './outcomes.ts'
import { react } from './react.ts'
import { refund, refundSent } from './refunding.ts'
import { superseded } from './superseding.ts'
import { tick } from './ticking.ts'

/** What becomes of a command: the facts it makes and everything that follows from them, or a refusal with its reason. */
export function decide(order: Order, command: Command, rules: Rules, now: number): Decision {
  const first = answer(order, command, rules, now)
  if (!first.ok || first.facts.length === 0) return first
  const facts = [...first.facts]
  let state = facts.reduce((current, fact) => apply(current, fact, now), order)
  // Each rule removes its own cause, so a handful of rounds is the longest honest chain; more is a bug that must not spin.
  for (let round = 0; round < 50; round++) {
    const more = react(state, rules, now)
    if (more.length === 0) return accept(facts)
    facts.push(...more)
    state = more.reduce((current, fact) => apply(current, fact, now), state)
  }
  throw new Error(`order ${order.id}: reactions to ${command.type} do not come to rest`)
}

function answer(order: Order, command: Command, rules: Rules, now: number): Decision {
  switch (command.type) {
    case 'choose':
      return choose(order, command, rules, now)
    case 'card':
      return card(order, command, rules, now)
    case 'card_news':
      return accept(cardNews(order, command))
    case 'extend':
      return extend(order, command, rules, now)
    case 'arrived':
      return arrived(order, command, rules, now)
    case 'balance': {
      const transfer = arrivalByBalance(order, command, now)
      if (!transfer) return accept([])
      const quotes = command.quote ? [command.quote] : []
      return arrived(order, { type: 'arrived', transfers: [transfer], head: command.head, quotes }, rules, now)
    }
    case 'block':
      return accept(progressed(order, command, now))
    case 'vanished':
      return accept(withRelease(order, vanished(order, command.keys), now))
    case 'tick':
      return accept(tick(order, command.quote, rules, now))
    case 'settlement':
      return accept(withRelease(order, settlement(order, command.id, command.outcome), now))
    case 'refund_outcome':
      return accept(refundOutcome(order, command.id, command.outcome))
    case 'refund':
      return refund(order, command.refund)
    case 'refund_sent':
      return accept(refundSent(order, command))
    case 'supersede':
      return accept(superseded(order, command.by))
    case 'reinstate':
      return accept(order.supersededBy === command.supersededBy ? [{ type: 'superseded', by: undefined }] : [])
    case 'shorten':
      return shortened(order, command.expiresAt)
    case 'accept_early':
      return order.status === 'AWAITING_CONFIRMATION'
        ? accept([
            { type: 'accepted_early', txHash: command.txHash },
            { type: 'became', status: 'OPTIMISTIC_CONFIRMED' },
          ])
        : accept([])
    case 'authorized':
      return authorized(order, command.quoteId, now)
    case 'unauthorized':
      return accept(order.claimedQuote === undefined ? [] : [{ type: 'claim_released' }])
    default:
      return command satisfies never
  }
}
