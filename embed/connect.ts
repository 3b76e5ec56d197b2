import type { Context } from './context.ts'
import {
  isControlMessage,
  isAliveMessage,
  isHereMessage,
  isPageMessage,
  themeOf,
  version,
  type CheckMessage,
  type ControlMessage,
  type FrameMessage,
  type HelloMessage,
  type HostMessage,
} from './protocol.ts'
import type { OpenSession } from './session.ts'

/** The build replaces this with the path of the file with the check, whose name has a content hash. */
declare const TILL_VERIFY: string

/** src/wire/terms/expected-order.ts */
interface OrderCheck {
  isExpectedOrder(order: unknown, factory: string | undefined, expect: string | null): boolean
}

export interface PageHooks {
  take(message: FrameMessage): void
  /** The page is shown, and its script is still loading. */
  alive?(): void
  control?(message: ControlMessage): void
}

export interface Connection {
  /** Sends the current theme, which the merchant's page may have changed since the handshake. */
  retheme(): void
}

/** A document whose order the host has not accepted may only say these. */
const unchecked: readonly FrameMessage['type'][] = ['resize', 'error', 'close']

/** This is the host's side of the handshake with one window (protocol.ts). A reloaded page sends `here` again and gets a new port. */
export const connect = (
  { payUrl, drop }: Context,
  open: OpenSession,
  peer: () => Window | null,
  { take, alive, control }: PageHooks,
): Connection => {
  const payOrigin = new URL(payUrl).origin
  const { expect } = open
  let port: MessagePort | undefined
  /** Most pages expect nothing, so the check is loaded only for one that does. Without it the answer is no. */
  const isExpected = ({ order, factory }: CheckMessage): Promise<boolean> => {
    const check: Promise<OrderCheck> = import(/* @vite-ignore */ payUrl + TILL_VERIFY)
    return check.then(
      ({ isExpectedOrder }) => isExpectedOrder(order, factory, expect),
      () => false,
    )
  }
  /** Each document has a port and a verdict of its own, because a frame may reload while the check is loaded. */
  const receiveFrom = (port: MessagePort) => {
    let accepted = expect === null
    port.onmessage = async ({ data }: MessageEvent) => {
      if (!isPageMessage(data)) drop()
      else if (data.type === 'check') {
        accepted = await isExpected(data)
        port.postMessage({ type: 'checked', ok: accepted } satisfies HostMessage)
      } else if (isControlMessage(data)) control?.(data)
      else if (accepted || unchecked.includes(data.type)) take(data)
    }
  }
  const listen = ({ source, origin, data }: MessageEvent) => {
    const page = peer()
    if (!page || source !== page) return
    if (origin === payOrigin && isAliveMessage(data)) return alive?.()
    if (origin !== payOrigin || !isHereMessage(data)) return drop()
    port?.close()
    const channel = new MessageChannel()
    port = channel.port1
    receiveFrom(port)
    page.postMessage({ till: version, type: 'hello', theme: themeOf(open.setting('theme')) } satisfies HelloMessage, payOrigin, [
      channel.port2,
    ])
  }
  addEventListener('message', listen)
  open.onEnd(() => {
    removeEventListener('message', listen)
    port?.close()
  })
  return { retheme: () => port?.postMessage({ type: 'theme', theme: themeOf(open.setting('theme')) } satisfies HostMessage) }
}
