import { useEffect } from 'preact/hooks'
import { useAllWords } from '../../../i18n/words.ts'
import { useOwnState } from '../../../ui/own-state.ts'
import type { Review } from '../pay-by-signature.ts'

const [second, minute] = [1_000, 60_000]

/**
 * Until when the signature permits the payment. Its time begins when the wallet is asked, so until then it moves on while the payer reads,
 * and is what will be signed.
 */
export function useValidUntil({ until }: Review, isAsked: boolean): string {
  const words = useAllWords()
  const moving = useOwnState(until)
  useEffect(() => {
    if (isAsked) return
    moving.value = until
    const opened = Date.now()
    const timer = setInterval(() => (moving.value = startOfMinute(until + Date.now() - opened)), second)
    return () => clearInterval(timer)
  }, [until, isAsked])
  const time = words.time(isAsked ? until : moving.value, Intl.DateTimeFormat().resolvedOptions().timeZone)
  return time.replaceAll(' ', '\u00a0')
}

/** Only minutes are shown, so the screen is drawn again once a minute and not once a second. */
const startOfMinute = (ms: number): number => ms - (ms % minute)
