import * as z from 'zod/mini'

export const Pagination = z.object({ total_count: z.int(), limit: z.int(), offset: z.int() })
export type Pagination = z.infer<typeof Pagination>

/** Only digits are accepted, because `Number` would also read '1e2', '+5' and ''. */
export const queryInteger = (min: number, max: number) =>
  z.pipe(
    z.pipe(z.string().check(z.regex(/^\d{1,9}$/, `must be a whole number from ${min} to ${max}`)), z.transform(Number)),
    z.int().check(z.minimum(min), z.maximum(max)),
  )

export const PageQuery = z.object({
  limit: z.prefault(queryInteger(1, 100), '20'),
  offset: z.prefault(queryInteger(0, 100_000), '0'),
})
