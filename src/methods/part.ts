import type { ComponentType } from 'preact'
import type { Funds } from '../wire/funds.ts'
import type { OrderRead } from '../wire/order-read.ts'
import type { StartFlow } from './method.ts'

/** What every method's screen is given besides its own flow. */
interface MethodViewProps {
  readonly order: OrderRead
  /** Back to the list of ways to pay. */
  readonly leave: () => void
  readonly toAddress: () => void
}

export type MethodScreen = ComponentType<MethodViewProps>

/** Ties a method's flow to its view; called once, when the method is chosen. */
export type MethodPart = (start: StartFlow) => MethodScreen

/** What a method adds to the screen with the address once a payment has begun: the rest, by its own means. */
export type RestScreen = ComponentType<{ readonly order: OrderRead; readonly rest: { readonly to: string; readonly due: Funds } }>
export type RestPart = (start: StartFlow) => RestScreen
