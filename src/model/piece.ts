import { signal, type ReadonlySignal } from '@preact/signals'

/** A piece is a part of the page's script that is fetched only when it is needed. */
export interface Piece<T> {
  /** The content is undefined until the piece has been fetched. */
  readonly content: ReadonlySignal<T | undefined>
  /** This is true once an attempt has failed. It stays true, because `content` shows whether a later attempt succeeded. */
  readonly failed: ReadonlySignal<boolean>
  load(): Promise<T>
}

/** If the page starts with the content, it is passed as `already` and nothing is fetched. */
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
