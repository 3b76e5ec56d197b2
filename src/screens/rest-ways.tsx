import { useState } from 'preact/hooks'
import { useWords } from '../i18n/words.ts'
import { methods, type MethodEntry, type RestScreen } from '../methods/views.ts'
import type { Funds } from '../wire/funds.ts'
import { usePage } from './page-context.ts'

/** What is still due, by a method that can finish at the same address. Fetched when it is asked for. */
export const RestWays = ({ to, due }: { to: string; due: Funds }) => (
  <>{methods.map((entry) => entry.rest && <RestWay key={entry.slug} rest={entry.rest} to={to} due={due} />)}</>
)

const RestWay = ({ rest, to, due }: { rest: NonNullable<MethodEntry['rest']>; to: string; due: Funds }) => {
  const words = useWords()
  const { checkout } = usePage()
  const [Screen, setScreen] = useState<RestScreen>()
  if (Screen) return <Screen order={checkout.order.value} rest={{ to, due }} />
  return (
    <button
      class="btn two js"
      onClick={() => void Promise.all([rest.load(), words.whole()]).then(([part]) => setScreen(() => part(checkout.start)))}
    >
      {words.t(rest.title)}
    </button>
  )
}
