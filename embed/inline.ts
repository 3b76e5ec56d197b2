import { createFrame } from './frame.ts'
import { inlineSheet } from './frame-style.ts'
import type { Context } from './context.ts'
import { createReporter } from './reporter.ts'
import type { OpenSession } from './session.ts'
import { coverWithRetry } from './try-again.ts'

/** Shows the page in the merchant's layout, at the height of its content. Returns a function that sends it the current theme. */
export const createInline = (context: Context, open: OpenSession, root: ShadowRoot): (() => void) => {
  if (open.ended()) return () => {}
  const forget = context.adopt(root, inlineSheet(context))
  const frame = createFrame(context)
  let sendTheme = () => {}
  const ended = new AbortController()
  open.onEnd(() => {
    ended.abort()
    forget()
    root.replaceChildren()
  })
  const box = document.createElement('div')
  box.append(frame.element)
  const report = createReporter(open)
  open.say('open', { presentation: 'inline' })
  frame.fill(open, {
    connected: (connection) => {
      sendTheme = connection.retheme
    },
    // An inline checkout appears without a click, so leaving the merchant's page has to wait for one.
    refused: () => root.replaceChildren(context.button('Continue to checkout', open.redirect)),
    unreachable: (retry) => coverWithRetry(context, box, retry, ended.signal),
    words: ({ title }) => {
      frame.element.title = title
    },
    take: (message) => {
      if (message.type === 'resize') frame.element.style.height = `${message.height}px`
      if (message.type === 'ready' || message.type === 'error') box.className = 'ready'
      // An inline checkout is part of the merchant's page, so Escape must not close it.
      if (message.type !== 'close') report(message)
    },
  })
  frame.prepare()
  root.replaceChildren(box)
  return () => sendTheme()
}
