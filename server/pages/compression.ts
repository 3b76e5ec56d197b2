import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

export type Encoding = 'br' | 'gzip'

export function encodingOf(accepts: string | undefined): Encoding | undefined {
  if (accepts && /\bbr\b/.test(accepts)) return 'br'
  return accepts && /\bgzip\b/.test(accepts) ? 'gzip' : undefined
}

/** Pages are rendered for each request, so they get 'quick': Brotli level 6 takes a few milliseconds and is nearly as good as the best. */
export const compressed = (bytes: Uint8Array, encoding: Encoding, effort: 'quick' | 'best'): Uint8Array<ArrayBuffer> =>
  encoding === 'gzip'
    ? gzipSync(bytes)
    : brotliCompressSync(bytes, {
        params: {
          [constants.BROTLI_PARAM_QUALITY]: effort === 'best' ? 11 : 6,
          [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
          [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
        },
      })
