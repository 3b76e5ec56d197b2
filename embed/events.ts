/** Frame in the merchant's layout, window over the page, window of its own, or the whole tab. */
export type Presentation = 'inline' | 'modal' | 'popup' | 'redirect'

interface About {
  /** The order's id; absent as long as the merchant's server has not said it. */
  readonly order?: string
}

interface StatusDetail extends About {
  readonly order: string
  /** The status as the API names it. */
  readonly status: string
}

/** What happens, and what is told about it. A hint: fulfil on the webhook. */
export interface TillEvents {
  open: About & { readonly presentation: Presentation }
  /** The payer sees the page. */
  ready: About
  resize: About & { readonly height: number }
  method: About & { readonly method: string }
  /** Enough money was seen, and is not final yet. */
  pending: StatusDetail
  /** Some money is there, less than due. */
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

/** order: the merchant's function failed or gave no id. refused: this site may not embed this order. blocked: no popup was allowed. */
export type ErrorCode = 'order' | 'refused' | 'blocked'

export type TillEvent = keyof TillEvents

export interface Emitter {
  /** Returns its end. */
  on<T extends TillEvent>(type: T, run: (detail: TillEvents[T]) => void): () => void
  /** The first time it happens. */
  once<T extends TillEvent>(type: T): Promise<TillEvents[T]>
}

export type Emit = <T extends TillEvent>(type: T, detail: TillEvents[T]) => void

/** A listener that fails must not keep others from hearing: its error goes where uncaught errors go. */
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
