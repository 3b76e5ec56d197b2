import * as z from 'zod/mini'
import { IntegerRead } from './scalars.ts'

export const ErrorResponse = z.object({
  error: z.string(),
  message: z.string(),
  code: z.int(),
  details: z.optional(z.union([z.string(), z.number(), z.looseObject({})])),
})
export type ErrorResponse = z.infer<typeof ErrorResponse>

/** Any service may put anything into `details`, so whoever uses them checks them (problems.ts). */
export const ErrorRead = z.object({ error: z.string(), message: z.string(), code: IntegerRead, details: z.optional(z.unknown()) })
