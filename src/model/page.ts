import type { OrderBoot } from '../wire/boot.ts'
import { choiceQuery, type Choice } from '../wire/choice.ts'
import type { Checkout } from './checkout.ts'
import type { Clock } from './clock.ts'
import type { Connection } from './connection.ts'
import type { Piece } from './piece.ts'

/** One page: what it was started with and its models. */
export interface Page<Secondary = unknown> {
  readonly boot: OrderBoot
  readonly checkout: Checkout
  readonly clock: Clock
  readonly connection: Connection
  /** The screens that most pages do not start with (screens/secondary.tsx). */
  readonly secondary: Piece<Secondary>
  /** Leaves this page for another one. */
  readonly leave: (url: string) => void
}

export const hrefOf = ({ boot }: Page, choice: Choice, locale: string | undefined = boot.asked): string =>
  boot.path + choiceQuery(choice, locale)
