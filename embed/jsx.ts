import type { Presentation, TillEvents } from './events.ts'
import type { Theme } from './protocol.ts'
import type { OrderSource } from './till.ts'

/** The attributes that both elements take in JSX. Frameworks set `order` as a property, so it may be a function. */
interface Common {
  order?: OrderSource
  brand?: string
  theme?: Theme
}

/** For React 19 and Preact: `onpaid={(event) => event.detail.order}`. */
type Handlers = { [T in keyof TillEvents as `on${T}`]?: (event: CustomEvent<TillEvents[T]>) => void }

export interface ButtonAttributes extends Common, Handlers {
  present?: Exclude<Presentation, 'inline'> | 'auto'
  size?: 'small' | 'regular' | 'large'
  look?: 'filled' | 'line'
}

export interface CheckoutAttributes extends Common, Handlers {}
