import * as z from 'zod/mini'

/** What whoever watches a play hears, one line of JSON each. The last is `reached` or `failed`. */
export const Told = z.discriminatedUnion('at', [
  z.object({ at: z.literal('order'), id: z.string(), url: z.string() }),
  z.object({ at: z.literal('step'), text: z.string() }),
  z.object({ at: z.literal('reached'), text: z.string() }),
  z.object({ at: z.literal('failed'), text: z.string() }),
])
export type Told = z.infer<typeof Told>
