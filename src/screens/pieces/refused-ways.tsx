import { useWords } from '../../i18n/words.ts'
import { methods as known } from '../../methods/methods.ts'
import type { PaymentMethodRead } from '../../wire/payment-methods.ts'
import type { ProblemCode } from '../../wire/problems.ts'
import { usePage } from './page-context.ts'

const silent: readonly ProblemCode[] = ['card_off', 'card_away']
/** Nothing that the payer does would change these, so a method that is refused with one of them is not listed. */
export const isSilent = ({ problem }: PaymentMethodRead): boolean => silent.some((code) => code === problem)

/** With this problem the page states the method's minimum amount. */
const tooSmall: ProblemCode = 'card_small'

/** Says why the other ways cannot be taken, where that means something to the payer. */
export const RefusedWays = () => {
  const words = useWords()
  const methods = usePage().checkout.methods.value ?? []
  return (
    <div class="stack">
      {known.map((entry) => {
        const method = methods.find((other) => other.method === entry.wire)
        if (!method || method.available || isSilent(method)) return null
        const { reason, problem, minimum_amount: minimum } = method
        return (
          <p key={entry.slug} class="soft">
            {words.t(entry.title)}: <bdi>{reason || words.t('unavailable')}</bdi>{' '}
            {minimum && problem === tooSmall && words.t('minimum', { amount: words.fiat(String(minimum.amount), minimum.unit) })}
          </p>
        )
      })}
    </div>
  )
}
