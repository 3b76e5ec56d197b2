import { useWords } from '../../i18n/words.ts'
import type { MethodEntry } from '../../methods/methods.ts'

/** Says of each of these ways to pay when to choose it. */
export const WhichWay = ({ of }: { of: readonly MethodEntry[] }) => {
  const words = useWords()
  return <div>{of.map(({ advice, title }) => advice && <p>{words.rich(advice, { method: <b>{words.t(title)}</b> })}</p>)}</div>
}
