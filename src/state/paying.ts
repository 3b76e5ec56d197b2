import type { PaymentAsk } from '../api/client.ts'
import type { flows } from '../methods/flows.ts'
import type { FlowPorts } from '../methods/method.ts'
import type { Problem } from '../wire/boot.ts'
import type { Choice } from '../wire/choice.ts'
import { currencyKey } from '../wire/funds.ts'
import type { OrderRead } from '../wire/order-read.ts'
import { askFor } from './ask.ts'
import { depositOf } from './funds.ts'
import { payCurrency } from './pay-currency.ts'
import type { Writable } from './requests.ts'

interface PayingParts {
  readonly of: Pick<Writable, 'order' | 'choice' | 'problem' | 'choose'>
  readonly ports: FlowPorts
  readonly run: Awaited<ReturnType<typeof flows.address>>
  /** Something was done whose outcome is not shown yet. */
  readonly isBehind: () => boolean
  readonly refresh: () => Promise<void>
  /** Who has left the place where he asked, or asks for something newer there, is not taken away from where he is. */
  readonly from: Choice
  readonly isNewest: () => boolean
  readonly onRefused: (answer: { readonly status: number; readonly message: string }) => void
}

/** Asks for instructions, or for a change of them, and goes to where they are shown. Fetched with the flow, when it is first asked for. */
export const pay = async (
  asked: PaymentAsk,
  at: Problem['at'],
  { of, ports, run, isBehind, refresh, from, isNewest, onRefused }: PayingParts,
) => {
  const { order, choice, problem, choose } = of
  const isChange = asked.refundAddress !== undefined || asked.extend === true
  if (isChange && isBehind()) await refresh()
  const ask = isChange ? inForce(asked, order.peek()) : asked
  if (!ask) {
    problem.value = { at, code: 'said', typed: asked.refundAddress }
    return
  }
  const land = () => {
    // Instructions that are not here yet are shown when they come: the ones before are none for what was asked.
    const shown = isBehind() ? undefined : depositOf(order.peek())?.currency
    choose(
      { method: 'address', pick: false, currency: currencyKey(shown ?? ask.currency), qr: choice.peek().qr },
      choice.peek().method === 'address' ? 'replace' : 'push',
    )
  }
  for await (const step of run(ports, ask, new AbortController().signal)) {
    if (step.at === 'refused') onRefused(step)
    if (step.at === 'misshapen') problem.value = { at, code: 'shape', typed: ask.refundAddress }
    if (step.at === 'instructed' && at !== 'refund' && isNewest() && isSamePlace(choice.peek(), from)) land()
  }
}

/**
 * More time and a refund address are for what is paid with when their turn comes: they never undo a newer choice of token.
 * An address was typed for one network, and on another one it may be nobody's.
 */
const inForce = (ask: PaymentAsk, order: OrderRead): PaymentAsk | undefined => {
  const currency = payCurrency(order)
  if (!currency) return ask
  if (ask.refundAddress !== undefined && currency.chain_id !== ask.currency.chain_id) return undefined
  return { ...ask, ...askFor(currency) }
}

const isSamePlace = (one: Choice, other: Choice): boolean => one.method === other.method && one.pick === other.pick
