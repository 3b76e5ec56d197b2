import type { IncomingMessage } from 'node:http'
import { ApiError } from './api-error.ts'

export const bodyLimit = 65_536

const tooLarge = () => new ApiError(413, `The body may have at most ${bodyLimit} bytes.`)

/** Throws 413 as soon as there are too many bytes. Node's own `incoming` is read directly, since a web stream around it costs more. */
export async function readBody(request: Request, incoming?: IncomingMessage): Promise<Uint8Array<ArrayBuffer>> {
  if (Number(request.headers.get('content-length') ?? 0) > bodyLimit) throw tooLarge()
  if (incoming) return readIncoming(incoming)
  if (!request.body) return new Uint8Array()
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of request.body) {
    size += chunk.byteLength
    if (size > bodyLimit) throw tooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const readIncoming = (incoming: IncomingMessage): Promise<Uint8Array<ArrayBuffer>> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const endedEarly = () => reject(new ApiError(400, 'The body ended early.'))
    if (incoming.destroyed) return endedEarly()
    const read = (chunk: Buffer) => {
      size += chunk.length
      chunks.push(chunk)
      if (size <= bodyLimit) return
      incoming.off('data', read).pause()
      reject(tooLarge())
    }
    incoming
      .on('data', read)
      .once('end', () => resolve(Buffer.concat(chunks)))
      .once('error', reject)
      .once('close', endedEarly)
  })

export function parseJson(bytes: Uint8Array, contentType: string | null): unknown {
  if (!/^application\/json\s*(;|$)/i.test(contentType ?? ''))
    throw new ApiError(415, 'Send the body as JSON, with Content-Type: application/json.')
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes))
  } catch {
    throw new ApiError(400, 'The body is not valid JSON.')
  }
}
