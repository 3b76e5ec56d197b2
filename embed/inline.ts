import { createFrame } from './frame.ts'
import { inlineSheet } from './frame-style.ts'
import { leave, type Context } from './context.ts'
import type { OpenSession } from './session.ts'
import { adopt } from './style.ts'

/** Shows the page in the merchant's layout, at the height of its content. Returns a function that passes a changed theme on to it. */
export const createInline = (context: Context, open: OpenSession, root: ShadowRoot): (() => void) => {
  if (open.ended()) return () => {}
  const forget = adopt(root, inlineSheet)
  const frame = createFrame(context)
  let retheme = () => {}
  open.onEnd(() => {
    forget()
    root.replaceChildren()
  })
  const box = document.createElement('div')
  box.append(frame.element)
  open.say('open', { presentation: 'inline' })
  frame.fill(open, {
    connected: (connection) => {
      retheme = connection.retheme
    },
    // A visitor is never sent to another page without a click.
    refused: (id) => {
      const button = document.createElement('button')
      const label = document.createElement('slot')
      label.append('Continue to checkout')
      button.append(label)
      button.addEventListener('click', () => leave(context, id))
      root.replaceChildren(button)
    },
    words: ({ title }) => {
      frame.element.title = title
    },
    take: (message) => {
      if (message.type === 'resize') frame.element.style.height = `${message.height}px`
      if (message.type === 'ready') box.className = 'ready'
      // An inline page has nothing to close, because it is part of the merchant's own page.
      if (message.type !== 'close') open.take(message)
    },
  })
  frame.prepare()
  root.replaceChildren(box)
  return () => retheme()
}
