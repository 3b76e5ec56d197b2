/**
 * Numbers, prices and dates that the server has written into a page are sent along with it: the first use of `Intl` takes a browser 13 ms
 * and a phone four times that, just when somebody wants to tap. The key says all that the text depends on, but for the language.
 */
export type Recall = (key: string, write: () => string) => string

export const afresh: Recall = (_, write) => write()

/** For the server: writes down what it writes. */
export const recordTo =
  (said: Record<string, string>): Recall =>
  (key, write) =>
    (said[key] ??= write())

/** For the browser, which starts from the same texts. */
export const recallFrom =
  (said: Readonly<Record<string, string>>): Recall =>
  (key, write) =>
    said[key] ?? write()
