import { ApiError } from './ApiError.ts'

export const bodyLimit = 65_536

/** The exact bytes, or 413 as soon as there are too many; the rest is not waited for. */
export const readBody = async (request: Request): Promise<Uint8Array<ArrayBuffer>> => {
  const tooLarge = () => new ApiError(413, `The body may have at most ${bodyLimit} bytes.`)
  if (Number(request.headers.get('content-length') ?? 0) > bodyLimit) throw tooLarge()
  if (!request.body) return new Uint8Array()
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of request.body) {
    size += chunk.byteLength
    if (size > bodyLimit) throw tooLarge()
    chunks.push(chunk)
  }
  const whole = new Uint8Array(size)
  let offset = 0
  for (const chunk of chunks) {
    whole.set(chunk, offset)
    offset += chunk.byteLength
  }
  return whole
}

export const parseJson = (bytes: Uint8Array, contentType: string | null): unknown => {
  if (!/^application\/json\s*(;|$)/i.test(contentType ?? ''))
    throw new ApiError(415, 'Send the body as JSON, with Content-Type: application/json.')
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes))
  } catch {
    throw new ApiError(400, 'The body is not valid JSON.')
  }
}
