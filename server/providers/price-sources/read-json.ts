import type * as z from 'zod/mini'
import { withDeadline } from '../../lib/with-deadline.ts'

const timeoutMs = 3_000
const mostBytes = 1_000_000

export interface DatedAnswer<T> {
  readonly answer: T
  /** When the server answered, by its own clock, or earlier where a cache has answered for it. */
  readonly answeredAt: number
}

/** Rejects for anything but a whole, dated answer of this shape in time. It follows no redirects. */
export async function readJson<S extends z.ZodMiniType>(url: string, schema: S): Promise<DatedAnswer<z.output<S>>> {
  return withDeadline(timeoutMs, undefined, async (deadline) => {
    const response = await fetch(url, { redirect: 'error', signal: deadline })
    const text = await boundedText(response)
    if (!response.ok) throw new Error(`status ${response.status}`)
    const answeredAt = Date.parse(response.headers.get('date') ?? '') - 1000 * Number(response.headers.get('age') ?? 0)
    if (Number.isNaN(answeredAt)) throw new Error('the answer has no date')
    return { answer: schema.parse(JSON.parse(text)), answeredAt }
  })
}

async function boundedText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    if (size > mostBytes) throw new Error(`the answer is longer than ${mostBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}
