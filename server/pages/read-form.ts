import type { Context } from 'hono'
import { readBody } from '../http/body.ts'

/** The fields of a form as browsers send it by themselves, or nothing. It is read no further than any body of the API. */
export async function readForm(c: Context): Promise<Record<string, string> | undefined> {
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(c.req.header('content-type') ?? '')) return undefined
  return Object.fromEntries(new URLSearchParams(new TextDecoder().decode(await readBody(c.req.raw))))
}
