import type { AllWords } from '../i18n/words.ts'
import type { Page } from '../model/page.ts'
import { confirmingOf } from '../order/confirming.ts'
import { dueOf } from '../order/due.ts'
import { payeeOf, referenceOf } from '../order/merchant.ts'
import { misdirectedOf } from '../order/misdirected.ts'
import { type Failure, failureOf, paidOf, refundedOf } from '../order/ending.ts'
import { chargedOf } from '../order/receipt.ts'
import type { Step } from '../order/step.ts'
import type { Funds } from '../wire/funds.ts'
import type { OrderRead } from '../wire/order-read.ts'

/** The title says first what has become of the payment, because a payer who waits in another tab sees no more than its beginning. */
export const titleOf = (words: AllWords, { boot, checkout }: Page): string => {
  const order = checkout.order.value
  const step = checkout.step.value
  const state = stateText(words, order, step)
  const merchant = payeeOf(order)
  const invoice = boot.invoice && words.t('invoiceNo', { number: referenceOf(order) })
  if (state) return [state, invoice ?? merchant].filter(Boolean).join(' · ')
  return invoice ?? dueText(words, dueOf(order, step.at !== 'pay')?.funds, merchant)
}

/** Before anything has happened the amount and the payee tell the tab, a history entry or a shared link from others. */
const dueText = (words: AllWords, due: Funds | undefined, merchant: string | undefined): string => {
  if (!due) return merchant ?? words.t('payment')
  return words.t('docTitle', { amount: words.funds(due), merchant: merchant ?? words.t('theShop') })
}

const stateText = (words: AllWords, order: OrderRead, step: Step): string | undefined => {
  switch (step.at) {
    case 'choose':
    case 'pick':
    case 'method':
      return strayText(words, order)
    case 'pay': {
      const { received, seen, due, currency } = step.funding
      if (received + seen > 0n) return words.t('titleLeft', { amount: words.funds({ raw: due, currency }) })
      return step.lapsed ? words.t('timeUp') : strayText(words, order)
    }
    case 'confirming': {
      const amount = step.amount ? words.funds(step.amount) : words.t('payment')
      return words.t(confirmingOf(order).late ? 'lateTitle' : step.settling ? 'settlingTitle' : 'seenTitle', { amount })
    }
    case 'done': {
      const charged = chargedOf(order)
      return charged
        ? `${words.t('paid')} · ${words.fiat(charged.decimal, charged.unit)}`
        : withAmount(words, words.t('paid'), paidOf(order).amount)
    }
    case 'expired':
      return step.money ? withAmount(words, words.t(step.held ? 'heldForYou' : 'received'), step.money) : words.t('timeUp')
    case 'refunded':
      return withAmount(words, words.t('refunded'), refundedOf(order))
    case 'failed':
      return failedText(words, failureOf(order))
    case 'unknown':
      return words.t('unknownTitle')
    default:
      return step satisfies never
  }
}

/** Money that does not pay the order is the first thing that its payer wants to know of. */
const strayText = (words: AllWords, order: OrderRead): string | undefined => {
  const [stray] = misdirectedOf(order)
  return stray && withAmount(words, words.t('heldForYou'), stray.funds)
}

const failedText = (words: AllWords, failure: Failure): string => {
  switch (failure.at) {
    case 'nothing':
    case 'unknown':
      return words.t('failedTitle')
    case 'back':
      return words.t('failedBackTitle', { amount: words.funds(failure.amount) })
    case 'held':
      return withAmount(words, words.t('heldForYou'), failure.amount)
    default:
      return failure satisfies never
  }
}

const withAmount = (words: AllWords, state: string, amount: Funds | undefined): string =>
  amount ? `${state} · ${words.funds(amount)}` : state
