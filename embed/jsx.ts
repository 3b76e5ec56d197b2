import type { Presentation, TillEvents } from './events.ts'
import type { Theme } from './protocol.ts'
import type { OrderSource } from './till.ts'

/** Frameworks set `order` as a property and not as an attribute, so it may be a function. */
interface Common {
  order?: OrderSource
  brand?: string
  theme?: Theme
  expect?: string
}

/** React 19 and Preact attach these as event listeners, for example `onpaid={(event) => event.detail.order}`. */
type Handlers = { [T in keyof TillEvents as `on${T}`]?: (event: CustomEvent<TillEvents[T]>) => void }

export interface ButtonAttributes extends Common, Handlers {
  present?: Exclude<Presentation, 'inline'> | 'auto'
  size?: 'small' | 'regular' | 'large'
  look?: 'filled' | 'line'
}

export interface CheckoutAttributes extends Common, Handlers {}
