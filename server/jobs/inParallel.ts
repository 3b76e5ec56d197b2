/** Works through `items`, at most `width` at a time; the first failure stops the rest. */
export const inParallel = async <T>(width: number, items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> => {
  let next = 0
  const worker = async () => {
    for (let index = next++; index < items.length; index = next++) await work(items[index] as T)
  }
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, worker))
}
