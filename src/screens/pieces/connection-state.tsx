import { useWords } from '../../i18n/words.ts'
import { Note } from '../../ui/note.tsx'
import { TryAgain } from './fetched.tsx'
import { usePage } from './page-context.ts'

/** Every screen shows this at its top while the service cannot be reached. */
export const LostNotice = () => {
  const words = useWords()
  const { checkout, connection } = usePage()
  const { at } = connection.state.value
  return at === 'live' ? null : (
    <Note icon="lost" tone="warn" live title={words.t('lost')}>
      {/* Where no address is shown, payers could read this as a request to send once more. */}
      {checkout.step.value.at === 'pay' && <p>{words.t('lostLead')}</p>}
      {at === 'absent' && <TryAgain />}
    </Note>
  )
}

/** Shows whether the page follows the order. If it does not, the payer sees since when the screen may be outdated. */
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
