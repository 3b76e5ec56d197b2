import { signal, type ReadonlySignal } from '@preact/signals'

/** A part of the page's script that is fetched only when it is needed. */
export interface Piece<T> {
  /** Undefined until it has been fetched. */
  readonly content: ReadonlySignal<T | undefined>
  /** An attempt to fetch it has failed. This is never reset, even when a later attempt succeeds. */
  readonly failed: ReadonlySignal<boolean>
  load(): Promise<T>
}

/** `already` is the content, if the page starts with it; then nothing is fetched. */
export const createPiece = <T>(fetchPiece: () => Promise<T>, already?: T): Piece<T> => {
  const content = signal(already)
  const failed = signal(false)
  let coming: Promise<T> | undefined
  const load = async (): Promise<T> => {
    const here = content.peek()
    if (here !== undefined) return here
    coming ??= fetchPiece()
    try {
      const fetched = await coming
      content.value = fetched
      return fetched
    } catch (error) {
      coming = undefined
      failed.value = true
      throw error
    }
  }
  return { content, failed, load }
}
