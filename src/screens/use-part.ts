import { useLayoutEffect, useMemo } from 'preact/hooks'
import { useWords } from '../i18n/words.ts'
import { createChunk } from '../state/chunk.ts'
import { usePage } from './page-context.ts'

/** A part that one screen alone needs, with all its words, fetched once it is wanted. What does not come is tried again, also by a new page. */
export const usePart = <T>(load: (() => Promise<T>) | undefined, isWanted: boolean): T | undefined => {
  const words = useWords()
  const { renew } = usePage()
  const screen = useMemo(() => ({ isHere: false }), [])
  const chunk = useMemo(() => {
    const whole = load && (async () => (await Promise.all([load(), words.whole()]))[0])
    return whole && createChunk(whole, undefined, () => screen.isHere && renew())
  }, [load])
  useLayoutEffect(() => {
    screen.isHere = true
    if (isWanted) chunk?.need()
    return () => {
      screen.isHere = false
    }
  }, [chunk, isWanted])
  return chunk?.part.value
}
