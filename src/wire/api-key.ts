import * as z from 'zod/mini'
import { DateTime, Id, text } from './scalars.ts'

export const ApiKey = z.object({
  id: z.string(),
  label: z.string().check(z.maxLength(100)),
  active: z.boolean(),
  is_live: z.boolean(),
  api_key_last_four: z.string(),
  created_at: DateTime,
  updated_at: DateTime,
  last_used_at: z.optional(DateTime),
})
export type ApiKey = z.infer<typeof ApiKey>

export const ApiKeyList = z.object({ data: z.array(ApiKey) })
export const ApiKeyChange = z.strictObject({ label: text(100) })
export const ApiKeyPath = z.object({ api_key_id: Id })
