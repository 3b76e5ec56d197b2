import type { Signal } from '@preact/signals'
import type { OrderBoot } from '../wire/boot.ts'
import { choiceQuery, type Choice } from '../wire/choice.ts'
import type { Checkout } from './checkout.ts'
import type { Clock } from './clock.ts'
import type { Line } from './line.ts'

/** One page: what it was started with and its models. */
export interface Page<Parts = unknown> {
  readonly boot: OrderBoot
  readonly checkout: Checkout
  readonly clock: Clock
  /** Written by who listens (state/live.ts). */
  readonly line: Signal<Line>
  /** The screens, as far as they are there (screens/parts.ts). */
  readonly parts: Parts
  /** Leaves this page for another one. */
  readonly leave: (url: string) => void
  /** Fetches this page anew, as soon as it answers: for a part of it that does not come. */
  readonly renew: () => void
}

/** At its own link, whatever it stands in. */
export const fullPageOf = ({ boot }: Page, choice: Choice): string =>
  (boot.order.hosted_url ?? location.origin + boot.path) + choiceQuery(choice, boot.asked)

export const hrefOf = ({ boot }: Page, choice: Choice): string => boot.path + choiceQuery(choice, boot.asked)
