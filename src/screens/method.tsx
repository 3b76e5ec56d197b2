import { useEffect, useState } from 'preact/hooks'
import { useWords } from '../i18n/words.ts'
import { methods, type MethodScreen } from '../methods/views.ts'
import { Back } from './back.tsx'
import { Choose } from './choose.tsx'
import { Loading } from './loading.tsx'
import { usePage } from './page-context.ts'

/** A method that brings its own screen: its chunk is fetched when it is chosen. */
export const Method = ({ slug }: { slug: string }) => {
  const { checkout } = usePage()
  const words = useWords()
  const [View, setView] = useState<MethodScreen>()
  const load = methods.find((entry) => entry.slug === slug)?.load
  useEffect(() => {
    let here = true
    if (load) void Promise.all([load(), words.whole()]).then(([part]) => here && setView(() => part(checkout.start)))
    return () => {
      here = false
    }
  }, [load])
  if (!load) return <Choose />
  if (!View) {
    return (
      <>
        <Back />
        <Loading />
      </>
    )
  }
  return (
    <View
      order={checkout.order.value}
      leave={() => checkout.choose({ method: 'choose', pick: false })}
      toAddress={() => checkout.choose({ method: 'address', pick: false })}
    />
  )
}
