import { useMemo } from 'preact/hooks'
import { useWords } from '../i18n/words.ts'
import { methods } from '../methods/methods.ts'
import type { MethodPart } from '../methods/part.ts'
import { createLazyModule } from '../model/lazy-module.ts'
import { hrefOf } from '../model/page.ts'
import { Choose } from './choose.tsx'
import { Back } from './pieces/back.tsx'
import { Fetched } from './pieces/fetched.tsx'
import { usePage } from './pieces/page-context.ts'

/** The entry lacks the code and the texts of a method's screen, so they are loaded when the payer chooses the method. */
export const Method = ({ slug }: { slug: string }) => {
  const words = useWords()
  const { secondary } = usePage()
  const load = methods.find((entry) => entry.slug === slug)?.load
  const piece = useMemo(() => load && createLazyModule(async () => (await Promise.all([load(secondary.load), words.rest()]))[0]), [load])
  if (!piece) return <Choose />
  return (
    <Fetched piece={piece} lead={<Lead />}>
      {({ methodPart }) => <MethodScreen part={methodPart} />}
    </Fetched>
  )
}

/** Without scripts the method is not offered, but its URL can still be opened. */
const Lead = () => {
  const words = useWords()
  const page = usePage()
  return (
    <>
      <Back />
      <p class="nojs">{words.t('needsScript')}</p>
      <a class="btn nojs" href={hrefOf(page, { method: 'address', pick: false })}>
        {words.t('addressInstead')}
      </a>
    </>
  )
}

const MethodScreen = ({ part }: { part: MethodPart }) => {
  const { checkout, secondary } = usePage()
  const View = useMemo(() => part(checkout.start), [part])
  return (
    <View
      order={checkout.order.value}
      CostNotes={secondary.content.value?.CostNotes}
      leave={() => checkout.choose({ method: 'choose', pick: false })}
      toAddress={() => checkout.choose({ method: 'address', pick: false })}
    />
  )
}
