import { applied } from './apply.ts'
import { arrived, progressed, vanished, withRelease } from './arriving.ts'
import { arrivalByBalance } from './balance.ts'
import { authorized, card, updateCard, choose, extend, shorten } from './choosing.ts'
import { accept, type Command, type Decision, type Policy } from './commands.ts'
import { found, lost } from './found.ts'
import { foundRefund } from './found-refunds.ts'
import type { Order } from './order.ts'
import { refundOutcome, settlementOutcome } from './outcomes.ts'
import { react } from './react.ts'
import { giveRefundAddress } from './refund-address.ts'
import { planRefund, refundSent } from './refunding.ts'
import { superseded } from './status.ts'
import { tick } from './ticking.ts'

/** Answers a command with a refusal, or with the facts that it causes and all reactions to them. */
export function decide(order: Order, command: Command, policy: Policy, now: number): Decision {
  const first = answerOf(order, command, policy, now)
  if (!first.ok || first.facts.length === 0) return first
  // A change of another order sends this command. This order's reactions wait until its own next command, when more is known of the chain.
  if (command.type === 'reinstate') return first
  const facts = [...first.facts]
  let state = applied(order, facts, now)
  // Each reaction removes its own cause, so a chain of reactions is short. 50 rounds mean a bug, which must not loop forever.
  for (let round = 0; round < 50; round++) {
    const reaction = react(state, policy, now)
    // One tick does all that is due, so that a second one at the same time does nothing.
    const more = reaction.length === 0 && command.type === 'tick' ? tick(state, command.quote, policy, now) : reaction
    if (more.length === 0) return accept(facts)
    facts.push(...more)
    state = applied(state, more, now)
  }
  throw new Error(`order ${order.id}: reactions to ${command.type} do not end`)
}

function answerOf(order: Order, command: Command, policy: Policy, now: number): Decision {
  switch (command.type) {
    case 'choose':
      return choose(order, command, policy, now)
    case 'give_refund_address':
      return giveRefundAddress(order, command)
    case 'card':
      return card(order, command, policy, now)
    case 'card_news':
      return accept(updateCard(order, command))
    case 'extend':
      return extend(order, command, policy, now)
    case 'arrived':
      return arrived(order, command, policy, now)
    case 'balance': {
      const transfer = arrivalByBalance(order, command, now)
      if (!transfer) return accept([])
      const quotes = command.quote ? [command.quote] : []
      return arrived(order, { type: 'arrived', transfers: [transfer], quotes }, policy, now)
    }
    case 'progress':
      return accept(progressed(order, command, now))
    case 'vanished':
      return accept(withRelease(order, vanished(order, command.keys), now))
    case 'tick':
      return accept(tick(order, command.quote, policy, now))
    case 'found':
      return accept(withRelease(order, found(order, command, now), now))
    case 'found_refund':
      return accept(foundRefund(order, command))
    case 'lost':
      return accept(lost(order, command.id))
    case 'settlement':
      return accept(withRelease(order, settlementOutcome(order, command.id, command.outcome), now))
    case 'refund_outcome':
      return accept(refundOutcome(order, command.id, command.outcome))
    case 'refund':
      return planRefund(order, command.refund, policy)
    case 'refund_sent':
      return accept(refundSent(order, command))
    case 'supersede':
      return accept(superseded(order, command.by))
    case 'reinstate':
      return accept(order.supersededBy === command.supersededBy ? [{ type: 'superseded', by: undefined }] : [])
    case 'shorten':
      return shorten(order, command.expiresAt)
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
      return accept(order.claimedQuote === undefined ? [] : [{ type: 'claim_released', until: now }])
    default:
      return command satisfies never
  }
}
