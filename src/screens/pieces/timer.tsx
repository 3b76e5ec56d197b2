import { useEffect } from 'preact/hooks'
import { useWords } from '../../i18n/words.ts'
import { currencyField, paymentRequest } from '../../order/pay-currency.ts'
import { hrefOf } from '../../model/page.ts'
import { ActionForm } from '../../ui/action-form.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Note } from '../../ui/note.tsx'
import { useAnnounce } from '../../ui/announce.ts'
import type { CurrencyRead } from '../../wire/currency.ts'
import { usePage } from './page-context.ts'
import { ProblemNote } from './problem-note.tsx'

/** The timer is hidden until this long before the deadline, because a longer countdown would only distract. */
export const deadlineShownMs = 5 * 60_000

/** Screen readers announce the time only when this many seconds are left, because every second would be too often. */
const announcedSeconds = [300, 60] as const

export interface TimerProps {
  readonly until: number | undefined
  readonly lapsed: boolean
  readonly currency: CurrencyRead
}

/** The time left follows the service's clock, so neither a reload nor a wrong device clock changes it. */
export const Timer = ({ until, lapsed, currency }: TimerProps) => {
  const words = useWords()
  const announce = useAnnounce()
  const page = usePage()
  const { clock, checkout } = page
  const left = until === undefined ? undefined : Math.ceil((until - clock.now.value) / 1000)
  const mark = left === undefined ? undefined : announcedSeconds.findLast((at) => left <= at && left > 0)
  useEffect(() => {
    if (mark !== undefined && left !== undefined) announce(words.t('timerSays', { time: clockText(left) }))
  }, [mark])
  if (lapsed) {
    return (
      <Note icon="clock" tone="warn">
        <p>{words.t('timerEnd')}</p>
      </Note>
    )
  }
  if (left === undefined || left * 1000 > deadlineShownMs || left <= 0) return <ProblemNote at="extend" />
  return (
    <>
      <div class="time">
        <Icon name="clock" />
        <span role="timer">{words.rich('timer', { time: <b class="num">{clockText(left)}</b> })}</span>
        <ActionForm
          action={hrefOf(page, checkout.choice.value)}
          fields={{ act: 'extend', ...currencyField(currency) }}
          onAct={() => checkout.pay({ ...paymentRequest(currency), extend: true }, 'extend')}
        >
          <button class="link" aria-disabled={checkout.busy.value === 'extend' ? 'true' : undefined}>
            {words.t('moreTime')}
          </button>
        </ActionForm>
      </div>
      <ProblemNote at="extend" />
    </>
  )
}

const clockText = (seconds: number): string => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
