import type { ComponentType } from 'preact'
import type { Funds } from '../wire/funds.ts'
import type { OrderRead } from '../wire/order-read.ts'
import type { StartFlow } from './method.ts'

interface MethodViewProps {
  readonly order: OrderRead
  /** Returns to the list of payment methods. */
  readonly leave: () => void
  readonly toAddress: () => void
}

export type MethodScreen = ComponentType<MethodViewProps>

/** Connects a method's flow to its view. It is called when the payer chooses the method. */
export type MethodPart = (start: StartFlow) => MethodScreen

/** Once part of an order is paid, only its deposit address completes it. A method can offer to send the rest to that address. */
export type RestScreen = ComponentType<{ readonly order: OrderRead; readonly rest: { readonly to: string; readonly due: Funds } }>
export type RestPart = (start: StartFlow) => RestScreen
