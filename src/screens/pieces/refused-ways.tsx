import { useWords } from '../../i18n/words.ts'
import { methods as known } from '../../methods/methods.ts'
import { usePage } from './page-context.ts'

/** Says why the other ways cannot be taken, where that means something to the payer. */
export const RefusedWays = () => {
  const words = useWords()
  const methods = usePage().checkout.methods.value ?? []
  return (
    <div class="stack">
      {known.map((entry) => {
        const method = methods.find((other) => other.method === entry.wire)
        if (!method || method.available || entry.silent?.some((problem) => problem === method.problem)) return null
        const { reason, problem, minimum_amount: minimum } = method
        return (
          <p key={entry.slug} class="soft">
            {words.t(entry.title)}: <bdi>{reason || words.t('unavailable')}</bdi>{' '}
            {minimum && problem === entry.tooSmall && words.t('minimum', { amount: words.fiat(String(minimum.amount), minimum.unit) })}
          </p>
        )
      })}
    </div>
  )
}
