import { useMemo, useState } from 'preact/hooks'
import { useWords } from '../i18n/words.ts'
import { methods, type MethodEntry } from '../methods/views.ts'
import type { Funds } from '../wire/funds.ts'
import { usePage } from './page-context.ts'
import { usePart } from './use-part.ts'

/** What is still due, by a method that can finish at the same address. Fetched when it is asked for. */
export const RestWays = ({ to, due }: { to: string; due: Funds }) => (
  <>{methods.map((entry) => entry.rest && <RestWay key={entry.slug} rest={entry.rest} to={to} due={due} />)}</>
)

const RestWay = ({ rest, to, due }: { rest: NonNullable<MethodEntry['rest']>; to: string; due: Funds }) => {
  const words = useWords()
  const { checkout } = usePage()
  const [isWanted, setWanted] = useState(false)
  const part = usePart(rest.load, isWanted)
  const Screen = useMemo(() => part?.(checkout.start), [part])
  if (Screen) return <Screen order={checkout.order.value} rest={{ to, due }} />
  return (
    <button class="btn two js" aria-disabled={isWanted ? 'true' : undefined} onClick={() => setWanted(true)}>
      {isWanted && <span class="spin" />}
      {words.t(rest.title)}
    </button>
  )
}
