/** Runs `work` on every item, at most `limit` at once. After a failure it starts no more items, and rejects once none is running. */
export async function forEachConcurrently<T>(limit: number, items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  let next = 0
  let failure: { readonly reason: unknown } | undefined
  const worker = async () => {
    while (!failure && next < items.length) {
      try {
        await work(items[next++] as T)
      } catch (reason) {
        failure ??= { reason }
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker))
  if (failure) throw failure.reason
}
