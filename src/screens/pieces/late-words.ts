import { useEffect, useState } from 'preact/hooks'
import { lateTexts } from '../../i18n/late-texts.ts'
import type { MessageKey } from '../../i18n/messages.ts'
import { type AllWords, useAllWords } from '../../i18n/words.ts'

/** Returns undefined until these texts are here. They are fetched if the server has not sent them. */
export function useLateWords(isNeeded: boolean, texts: readonly MessageKey[] = lateTexts): AllWords | undefined {
  const words = useAllWords()
  const [, setFetched] = useState(false)
  const isMissing = isNeeded && !texts.every((key) => words.has(key))
  useEffect(() => {
    if (!isMissing) return
    void words.rest().then(
      () => setFetched(true),
      () => undefined,
    )
  }, [isMissing])
  return isNeeded && !isMissing ? words : undefined
}
