import { signal, type ReadonlySignal } from '@preact/signals'

/** A part of the page that is not there from the start. */
export interface Chunk<T> {
  readonly part: ReadonlySignal<T | undefined>
  /** Fetches it, if that has not happened; an interrupted line is tried again. */
  need(): void
}

const againMs = 2_000

export const createChunk = <T>(load: () => Promise<T>, already?: T, onFailure?: () => void): Chunk<T> => {
  const part = signal(already)
  let loading = already !== undefined
  const need = () => {
    if (loading) return
    loading = true
    load().then(
      (loaded) => {
        part.value = loaded
      },
      () => {
        loading = false
        onFailure?.()
        setTimeout(need, againMs)
      },
    )
  }
  return { part, need }
}
