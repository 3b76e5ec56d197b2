import type { Presentation, TillEvents } from './events.ts'
import type { Theme } from './protocol.ts'
import type { OrderSource } from './till.ts'

interface Common {
  order?: OrderSource
  brand?: string
  theme?: Theme
  expect?: string
}

/** The frameworks attach these as event listeners, for example `onpaid={(event) => event.detail.order}`. */
export type EventHandlers = { [T in keyof TillEvents as `on${T}`]?: (event: CustomEvent<TillEvents[T]>) => void }

/** The same with the names that components use, for example `onPaid`. */
export type ComponentHandlers = { [T in keyof TillEvents as `on${Capitalize<T>}`]?: (event: CustomEvent<TillEvents[T]>) => void }

export interface ButtonAttributes extends Common {
  present?: Exclude<Presentation, 'inline'> | 'auto'
  size?: 'small' | 'regular' | 'large'
  look?: 'filled' | 'line'
}

export interface CheckoutAttributes extends Common {}

/** What can be said of an element in a template. A function has to be set as a property, which a component or the framework's own syntax does. */
export type ElementAttributes<A extends Common> = Omit<A, 'order'> & { order?: string } & EventHandlers
