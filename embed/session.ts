import { createEmitter, type Emit, type ErrorCode } from './events.ts'
import type { Context } from './context.ts'
import { forgetOrder, keepOrder, keptOrder } from './kept-order.ts'
import type { OrderSource, Result, Session } from './till.ts'

/** The presentations (inline, modal, popup, redirect) drive a session through this. The merchant only gets `session`. */
export interface OpenSession {
  readonly session: Session
  readonly ended: () => boolean
  /** This is read when the session opens, so a later change of the attribute counts for the next order. */
  readonly expect: string | null
  readonly setting: SessionSetting
  readonly say: Emit
  /** Runs the function when the session ends, or at once if it has ended. */
  onEnd(run: () => void): void
  end(reason: 'payer' | 'host'): void
  fail(code: ErrorCode, message: string): void
  /** The URL of the order's page, once the order is known. In a frame or popup the path says that the order is checked (protocol.ts). */
  url(at: 'frame' | 'popup'): string
  /** The URL of the full page, which no other page can check. */
  page(): string
  /** Sends the whole tab to the page, even if the merchant's page is itself in a frame. It cannot check the order there. */
  redirect(): void
  /** Calls the function with the order's id, now or as soon as it is known, unless the session ends before. */
  whenKnown(run: (id: string) => void): void
}

/** Reads an attribute of an element, or an option of `Till.open`. */
export type SessionSetting = (name: 'theme' | 'expect' | 'present' | 'order-key') => string | null

/** An id is opaque. What is shorter, or has other characters, is a page, an error or an object that a merchant's server has returned. */
const looksLikeAnId = /^[\w-]{16,128}$/

/** After one of these the order takes no money any more. */
const endings: readonly string[] = ['paid', 'failed', 'refunded']

export const createSession = (
  context: Context,
  source: OrderSource | undefined,
  setting: SessionSetting,
  onEvent?: Emit,
  /** Remembers what a function gives. */
  holder?: object,
): OpenSession => {
  const { emit, on, once } = createEmitter()
  const ends: (() => void)[] = []
  const waiting: ((id: string) => void)[] = []
  let order: string | undefined
  let ended = false
  const expect = setting('expect')
  const url = (at: string) => `${context.payUrl}/${at}/${encodeURIComponent(order!)}`
  const key = setting('order-key')
  const say: Emit = (type, about) => {
    const detail = { ...about, order }
    if (holder && endings.includes(type)) forgetOrder(holder, key)
    for (const emitTo of [emit, onEvent, context.emit]) emitTo?.(type, detail)
  }
  const end = (reason: 'payer' | 'host') => {
    if (ended) return
    ended = true
    for (const run of ends) run()
    say('closed', { reason })
  }
  const fail = (code: ErrorCode, message: string) => {
    console.warn(`Till: ${message}`)
    say('error', { code, message })
  }
  const known = (id: unknown) => {
    if (ended) return
    if (typeof id !== 'string' || !looksLikeAnId.test(id)) return unknown(`your function returned ${quoted(id)}, not an order id`)
    order = id
    if (holder) keepOrder(holder, key, id)
    for (const run of waiting) run(id)
  }
  const unknown = (error: unknown) => {
    if (ended) return
    fail('order', `no order: ${error instanceof Error ? error.message : error}`)
    end('host')
  }
  // The merchant's function is called synchronously, because a browser's permission for popups ends soon after the click.
  if (source && typeof source === 'string') order = source
  else if (holder && source) order = keptOrder(holder, key)
  if (!order) new Promise((resolve) => resolve(typeof source === 'function' ? source() : '')).then(known, unknown)
  return {
    session: {
      get order() {
        return order
      },
      on,
      once,
      result: new Promise((resolve) => {
        for (const type of ['paid', 'failed', 'refunded', 'closed', 'error'] as const)
          on(type, (detail) => resolve({ type, ...detail } as Result))
      }),
      close: () => end('host'),
    },
    ended: () => ended,
    expect,
    setting,
    say,
    end,
    fail,
    url: (at) => url(expect === null ? at : `expect-${at}`),
    page: () => url('pay'),
    redirect: () => {
      if (expect === null) return void window.open(url('pay'), '_top')
      fail('unverified', 'a redirect is not checked')
      end('host')
    },
    onEnd: (run) => (ended ? run() : ends.push(run)),
    whenKnown: (run) => (order ? ended || run(order) : waiting.push(run)),
  }
}

/** A server may answer with a whole page, of which the beginning says enough. */
const quoted = (value: unknown): string => JSON.stringify(`${typeof value === 'object' ? JSON.stringify(value) : value}`.slice(0, 60))
