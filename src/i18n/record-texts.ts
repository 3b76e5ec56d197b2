import type { MessageKey, Messages } from './messages.ts'

/** Notes which texts a page uses, so that its first response contains no others. */
export const recordTexts = (messages: Messages, used: Set<MessageKey>): Messages =>
  new Proxy(messages, {
    get: (all, key) => {
      if (Object.hasOwn(all, key)) used.add(key as MessageKey)
      return all[key as MessageKey]
    },
  })
