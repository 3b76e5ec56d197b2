/** The page is shown in the merchant's layout, in a dialog over it, in a new window, or in place of the whole tab. */
export type Presentation = 'inline' | 'modal' | 'popup' | 'redirect'

interface About {
  /** The order's id is absent until the merchant's server has returned it. */
  readonly order?: string
}

interface StatusDetail extends About {
  readonly order: string
  /** This is the order's status as the API writes it, for example `COMPLETED`. */
  readonly status: string
}

/** Events can be forged in the payer's browser, so fulfil an order only when its signed webhook arrives. */
export interface TillEvents {
  open: About & { readonly presentation: Presentation }
  /** The page is shown and has connected to its host. With `expect`, an order that is not expected has `error` in its place. */
  ready: About
  resize: About & { readonly height: number }
  method: About & { readonly method: string }
  /** Enough money has been seen, but it is not final yet. */
  pending: StatusDetail
  /** Some money has arrived, but less than is due. */
  partial: StatusDetail & { readonly received?: string; readonly remaining?: string }
  /** The order is COMPLETED, and the money has been settled to the merchant. */
  paid: StatusDetail
  /** The order was not paid in time. Late money can still change it to `pending` and `paid`. */
  expired: StatusDetail
  failed: StatusDetail
  refunded: StatusDetail
  closed: About & { readonly reason: 'payer' | 'host' }
  error: About & { readonly code: ErrorCode; readonly message: string }
}

/**
 * `order`: the merchant's function failed or gave no id. `refused`: this site cannot show the frame. `blocked`: the popup was blocked.
 * `offline`: there is no connection, so the payer has to try again.
 * `unverified`: the order might pay somebody who is not in `expect`, or that could not be checked.
 */
export type ErrorCode = 'order' | 'refused' | 'blocked' | 'unverified' | 'offline'

export type TillEvent = keyof TillEvents

export interface Emitter {
  /** Returns a function that removes the listener. */
  on<T extends TillEvent>(type: T, run: (detail: TillEvents[T]) => void): () => void
  /** Resolves with the details of the next event of this type. */
  once<T extends TillEvent>(type: T): Promise<TillEvents[T]>
}

export type Emit = <T extends TillEvent>(type: T, detail: TillEvents[T]) => void

/** An error in one listener must not keep the others from being called, so it is passed to `reportError`. */
export const createEmitter = (): Emitter & { readonly emit: Emit } => {
  const listeners = new Set<(type: TillEvent, detail: never) => void>()
  const on: Emitter['on'] = (type, run) => {
    const listener = (happened: TillEvent, detail: never) => {
      if (happened === type) run(detail)
    }
    listeners.add(listener)
    return () => listeners.delete(listener)
  }
  return {
    on,
    once: (type) =>
      new Promise((resolve) => {
        const off = on(type, (detail) => {
          off()
          resolve(detail)
        })
      }),
    emit: (type, detail) => {
      for (const notify of listeners) {
        try {
          notify(type, detail as never)
        } catch (error) {
          reportError(error)
        }
      }
    },
  }
}
