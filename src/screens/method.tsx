import { useMemo } from 'preact/hooks'
import { methods } from '../methods/views.ts'
import { Back } from './back.tsx'
import { Choose } from './choose.tsx'
import { Loading } from './loading.tsx'
import { usePage } from './page-context.ts'
import { usePart } from './use-part.ts'

/** A method that brings its own screen: its chunk is fetched when it is chosen. */
export const Method = ({ slug }: { slug: string }) => {
  const { checkout } = usePage()
  const load = methods.find((entry) => entry.slug === slug)?.load
  const part = usePart(load, true)
  const View = useMemo(() => part?.(checkout.start), [part])
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
