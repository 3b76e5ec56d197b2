import { useWords } from '../../i18n/words.ts'
import type { Step } from '../../order/step.ts'
import { Note } from '../../ui/note.tsx'
import { TryAgain } from './fetched.tsx'
import { usePage } from './page-context.ts'

/** In any other step, to read that what is sent still arrives would ask payers to send once more. */
const mayStillSend: readonly Step['at'][] = ['choose', 'pick', 'method', 'pay']

/** Every screen shows this at its top while the service cannot be reached. */
export const LostNotice = () => {
  const words = useWords()
  const { checkout, connection } = usePage()
  const { at } = connection.state.value
  return at === 'live' ? null : (
    <Note icon="lost" tone="warn" live title={words.t('lost')}>
      {mayStillSend.includes(checkout.step.value.at) && <p>{words.t('lostLead')}</p>}
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
