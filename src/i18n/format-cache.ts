/**
 * The server sends its formatted numbers, prices and dates with the page, because the first use of `Intl` takes 13 ms on a desktop and four
 * times that on a phone, before the page can be tapped. The key has everything that the text depends on, except the language.
 */
export type FormatCache = (key: string, write: () => string) => string

export const uncached: FormatCache = (_, write) => write()

export const recordFormats =
  (formatted: Record<string, string>): FormatCache =>
  (key, write) =>
    (formatted[key] ??= write())

/** The browser reuses the server's texts and formats only what they lack. */
export const reuseFormats =
  (formatted: Readonly<Record<string, string>>): FormatCache =>
  (key, write) =>
    formatted[key] ?? write()
