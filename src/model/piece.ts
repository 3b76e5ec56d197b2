import { signal, type ReadonlySignal } from '@preact/signals'

/** A piece of the page's script that is fetched when it is needed. */
export interface Piece<T> {
  /** Undefined until it is here. */
  readonly content: ReadonlySignal<T | undefined>
  /** The last attempt to fetch it failed. */
  readonly failed: ReadonlySignal<boolean>
  load(): Promise<T>
}

/** `already`: what the page starts with. */
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
