import type { MessageKey, Messages } from './messages.ts'

/** The screens of an order that waits for minutes have these texts beside the first ones, so the server sends them with such an order. */
export const lateTexts = [
  'slowAhead',
  'slowBlocks',
  'feeIncluded',
  'slowSeen',
  'slowLong',
  'replaced',
  'replacedDue',
] as const satisfies readonly MessageKey[]

export const lateTextsOf = (messages: Messages): Partial<Messages> => Object.fromEntries(lateTexts.map((key) => [key, messages[key]]))
