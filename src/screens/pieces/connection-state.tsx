import { useWords } from '../../i18n/words.ts'
import { hrefOf } from '../../model/page.ts'
import { Note } from '../../ui/note.tsx'
import { usePage } from './page-context.ts'

/** Above every screen while nothing gets through. */
export const LostNotice = () => {
  const words = useWords()
  const page = usePage()
  const { at } = page.connection.state.value
  return at === 'live' ? null : (
    <Note icon="lost" tone="warn" live title={words.t('lost')}>
      <p>
        {words.t('lostLead')}{' '}
        {at === 'absent' && (
          <a class="link" href={hrefOf(page, page.checkout.choice.value)}>
            {words.t('tryAgain')}
          </a>
        )}
      </p>
    </Note>
  )
}

/** Says that the page follows the order, or since when it does not. */
export const Waiting = ({ text }: { text: string }) => {
  const words = useWords()
  const { clock, connection } = usePage()
  const state = connection.state.value
  return state.at === 'live' ? (
    <p class="live">{text}</p>
  ) : (
    <p class="live off">
      <span class="spin" />
      {words.t('lostSince', { time: words.time(state.since, clock.zone.value) })}
    </p>
  )
}
