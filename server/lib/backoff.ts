/** The wait doubles with each consecutive failure, up to `longestMs`. */
export const backoffMs = (failures: number, { firstMs, longestMs }: { readonly firstMs: number; readonly longestMs: number }): number =>
  Math.min(longestMs, firstMs * 2 ** failures)
