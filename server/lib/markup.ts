import { escapeHtml } from './escape-html.ts'

/** Marks text that is HTML already. Any other value is escaped where it is inserted. */
export interface Html {
  readonly html: string
}

type Value = string | number | Html | readonly Html[] | undefined

function written(value: Value): string {
  if (value === undefined) return ''
  if (typeof value !== 'object') return escapeHtml(String(value))
  return 'html' in value ? value.html : value.map((part) => part.html).join('')
}

export const markup = (parts: TemplateStringsArray, ...values: readonly Value[]): Html => ({
  html: parts.map((part, at) => part + written(values[at])).join(''),
})
