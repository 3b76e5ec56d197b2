/** A frame in the merchant's layout, a dialog over the page, a window of its own, or the whole tab. */
export type Presentation = 'inline' | 'modal' | 'popup' | 'redirect'

interface About {
  /** The order's id; absent until the merchant's server has given it. */
  readonly order?: string
}

interface StatusDetail extends About {
  readonly order: string
  /** The status as the API names it. */
  readonly status: string
}

/** The events and their details. They are only hints: fulfil the order when the webhook arrives. */
export interface TillEvents {
  open: About & { readonly presentation: Presentation }
  /** The page is shown and has connected to its host. */
  ready: About
  resize: About & { readonly height: number }
  method: About & { readonly method: string }
  /** Enough money has been seen, but it is not final yet. */
  pending: StatusDetail
  /** Some money has arrived, but less than is due. */
  partial: StatusDetail & { readonly received?: string; readonly remaining?: string }
  /** Settled to the merchant: the order is COMPLETED. */
  paid: StatusDetail
  /** Not paid in time. Late money may still make it `pending` and `paid`. */
  expired: StatusDetail
  failed: StatusDetail
  refunded: StatusDetail
  closed: About & { readonly reason: 'payer' | 'host' }
  error: About & { readonly code: ErrorCode; readonly message: string }
}

/**
 * order: the merchant's function failed or gave no id. refused: the frame could not be shown on this site. blocked: the browser blocked
 * the popup.
 */
export type ErrorCode = 'order' | 'refused' | 'blocked'

export type TillEvent = keyof TillEvents

export interface Emitter {
  /** Returns a function that removes the listener. */
  on<T extends TillEvent>(type: T, run: (detail: TillEvents[T]) => void): () => void
  /** Resolves the next time that it happens. */
  once<T extends TillEvent>(type: T): Promise<TillEvents[T]>
}

export type Emit = <T extends TillEvent>(type: T, detail: TillEvents[T]) => void

/** A listener that throws must not keep the others from being called, so its error is reported as an uncaught one. */
export const createEmitter = (): Emitter & { readonly emit: Emit } => {
  const listeners = new Set<(type: TillEvent, detail: never) => void>()
  const on: Emitter['on'] = (type, run) => {
    const hear = (happened: TillEvent, detail: never) => {
      if (happened === type) run(detail)
    }
    listeners.add(hear)
    return () => listeners.delete(hear)
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
      for (const hear of listeners) {
        try {
          hear(type, detail as never)
        } catch (error) {
          reportError(error)
        }
      }
    },
  }
}
