import type { TargetedEvent } from 'preact'
import { useEffect } from 'preact/hooks'
import { useWords } from '../../i18n/words.ts'
import { Fold } from '../../ui/fold.tsx'
import { useOwnState } from '../../ui/own-state.ts'
import { Qr } from '../../ui/qr.tsx'
import { usePage } from './page-context.ts'

/** Whoever paid at a desk can take the order and its receipt along. A phone cannot scan its own screen, and only a script knows what this is. */
export const ContinueOnPhone = () => {
  const words = useWords()
  const { boot } = usePage()
  const url = useOwnState<string>()
  useEffect(() => {
    // A frame's own page is worth nothing outside of it.
    const path = boot.surface === 'page' ? boot.path : boot.path.replace(/^\/[\w-]+/, '/pay')
    if (matchMedia('(pointer: fine)').matches) url.value = new URL(path, location.href).href
  }, [])
  if (!url.value) return null
  return (
    <Fold title={words.t('onPhone')} onToggle={intoView}>
      <p>{words.t('onPhoneHint')}</p>
      <div class="qr">
        <Qr text={url.value} label={words.t('onPhone')} />
      </div>
    </Fold>
  )
}

/** The code is below the end of most screens. */
const intoView = ({ currentTarget }: TargetedEvent<HTMLElement>) => currentTarget.scrollIntoView({ block: 'nearest' })
