import { signal, type ReadonlySignal } from '@preact/signals'

export interface LazyModule<T> {
  readonly content: ReadonlySignal<T | undefined>
  /** This is true once an attempt has failed. It stays true, because `content` shows whether a later attempt succeeded. */
  readonly failed: ReadonlySignal<boolean>
  load(): Promise<T>
}

/** If the page has the content from the start, it is passed as `initial`, and `fetchModule` is not called. */
export const createLazyModule = <T>(fetchModule: () => Promise<T>, initial?: T): LazyModule<T> => {
  const content = signal(initial)
  const failed = signal(false)
  let loading: Promise<T> | undefined
  const load = async (): Promise<T> => {
    const loaded = content.peek()
    if (loaded !== undefined) return loaded
    loading ??= fetchModule()
    try {
      const fetched = await loading
      content.value = fetched
      return fetched
    } catch (error) {
      loading = undefined
      failed.value = true
      throw error
    }
  }
  return { content, failed, load }
}
