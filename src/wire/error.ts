import * as z from 'zod/mini'

export const ErrorResponse = z.object({
  error: z.string(),
  message: z.string(),
  code: z.int(),
  details: z.optional(z.union([z.string(), z.number(), z.looseObject({})])),
})
export type ErrorResponse = z.infer<typeof ErrorResponse>
