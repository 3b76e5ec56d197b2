import { useWords } from '../../i18n/words.ts'
import type { Funding } from '../../order/funding.ts'
import { refundsOf } from '../../order/refunds.ts'
import { Bar } from '../../ui/bar.tsx'
import { usePage } from './page-context.ts'

export const Received = ({ funding: { currency, received, seen, required, due } }: { funding: Funding }) => {
  const words = useWords()
  const counted = received + seen
  return (
    <section class="stack" aria-label={words.t('received')}>
      <div class="ends">
        <span>
          <small>{words.t('received')}</small>
          <b class="good">
            <span class="num">{words.token(counted, currency)}</span>
          </b>
        </span>
        <span>
          <small>{words.t('remaining')}</small>
          <b>
            <span class="num">{words.token(due, currency)}</span>
          </b>
        </span>
      </div>
      <Bar
        label={words.t('received')}
        text={words.t('receivedOf', {
          received: words.amount(counted, currency.decimals),
          required: words.funds({ raw: required, currency }),
        })}
        // Amounts are bigints, and four digits are exact enough to draw the bar.
        value={Number((counted * 10_000n) / (required || 1n)) / 10_000}
      />
      {/* Of what went back the list of transfers tells. */}
      {!refundsOf(usePage().checkout.order.value)?.length && <p class="soft">{words.t('countsNote')}</p>}
    </section>
  )
}
