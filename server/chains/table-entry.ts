import * as z from 'zod'

/** These parts are the same in the entries of all families of the table of chains. */

export type Env = Readonly<Record<string, string | undefined>>

export interface Mistake {
  readonly path: string
  readonly message: string
}

export const Url = z.url({ protocol: /^https?$/, error: 'must be an http(s) URL' })
export const Positive = z.int('must be a whole number').min(1, 'must be at least 1')
