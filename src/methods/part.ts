import type { ComponentType } from 'preact'
import type { NetworkFee } from '../wire/currency.ts'
import type { Fiat } from '../wire/fiat.ts'
import type { Funds } from '../wire/funds.ts'
import type { OrderRead } from '../wire/order-read.ts'
import type { StartFlow } from './method.ts'

/** Says what of a cost is not the order's price. It has the network's fee in it if that is known. */
export type CostNotes = ComponentType<{
  readonly order: OrderRead
  readonly cost: Fiat | undefined
  readonly fee: NetworkFee | undefined
  /** The cost is that of the tokens alone, so what is not the order's price is for their conversion. */
  readonly isOfTokens?: boolean
}>

interface MethodViewProps {
  readonly order: OrderRead
  readonly CostNotes: CostNotes | undefined
  /** Returns to the list of payment methods. */
  readonly leave: () => void
  readonly toAddress: () => void
}

export type MethodScreen = ComponentType<MethodViewProps>

/** Connects a method's flow to its view. It is called when the payer chooses the method. */
export type MethodPart = (start: StartFlow) => MethodScreen

interface RestViewProps {
  readonly order: OrderRead
  readonly rest: { readonly to: string; readonly due: Funds }
  /** What the network asks for the transfer, in fiat, if the service says it. */
  readonly fee: NetworkFee | undefined
  /** Returns to the screen with the address. */
  readonly leave: () => void
}

/** Once part of an order is paid, only its deposit address completes it. A method can offer to send the rest to that address. */
export type RestScreen = ComponentType<RestViewProps>
export type RestPart = (start: StartFlow) => RestScreen
