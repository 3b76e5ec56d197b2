import type { OrderBoot } from '../wire/boot.ts'
import { choiceQuery, type Choice } from '../wire/choice.ts'
import type { Checkout } from './checkout.ts'
import type { Clock } from './clock.ts'
import type { Connection } from './connection.ts'
import type { LazyModule } from './lazy-module.ts'

/** The screens of an order get this: the data with which the page started, and its models. */
export interface Page<Secondary = unknown> {
  readonly boot: OrderBoot
  readonly checkout: Checkout
  readonly clock: Clock
  readonly connection: Connection
  /** Most pages do not start with these screens (screens/secondary.tsx). */
  readonly secondary: LazyModule<Secondary>
  /** Navigates the tab to another page. It is passed in, because the server has no `location`. */
  readonly leave: (url: string) => void
}

export const hrefOf = ({ boot }: Page, choice: Choice, locale: string | undefined = boot.asked): string =>
  boot.path + choiceQuery(choice, locale)

/** A link of this query alone leads to the same page in another language. */
export const languageQuery = ({ checkout }: Page, locale: string): string => choiceQuery(checkout.choice.value, locale)
