import { useWords } from '../i18n/words.ts'
import { usePage } from './page-context.ts'

/** That the page is alive, in one line. */
export const Waiting = ({ text }: { text: string }) => {
  const words = useWords()
  const {
    clock,
    line: { value: line },
  } = usePage()
  switch (line.at) {
    case 'live':
      return <p class="live">{text}</p>
    case 'lost':
      return (
        <p class="live off">
          <span class="spin" />
          {words.t('lostSince', { time: words.time(line.since, clock.zone.value) })}
        </p>
      )
    default:
      return line satisfies never
  }
}
