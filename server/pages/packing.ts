import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

export type Packing = 'br' | 'gzip'

export function packingOf(accepts: string | undefined): Packing | undefined {
  if (accepts && /\bbr\b/.test(accepts)) return 'br'
  return accepts && /\bgzip\b/.test(accepts) ? 'gzip' : undefined
}

/** Pages are rendered for each request, so they get 'quick': level 6 takes a few milliseconds and compresses nearly as well as the best. */
export const packed = (bytes: Uint8Array, packing: Packing, effort: 'quick' | 'best'): Uint8Array<ArrayBuffer> =>
  packing === 'gzip'
    ? gzipSync(bytes)
    : brotliCompressSync(bytes, {
        params: {
          [constants.BROTLI_PARAM_QUALITY]: effort === 'best' ? 11 : 6,
          [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
          [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
        },
      })
