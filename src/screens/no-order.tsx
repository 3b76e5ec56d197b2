import { useWords } from '../i18n/words.ts'
import { Head } from '../ui/head.tsx'
import { Icon } from '../ui/icon.tsx'
import type { LoneBoot } from '../wire/boot.ts'
import { ReferenceField } from './pieces/reference-field.tsx'

/** The page has no order to show if the link is wrong or the service does not answer. */
export const NoOrder = ({ boot }: { boot: LoneBoot }) => {
  const words = useWords()
  const { view } = boot
  return (
    <main class="pay lone">
      <Head seal={view === 'missing' ? 'find' : 'warn'} title={words.t(`${view}Title`)}>
        {words.t(`${view}Lead`)}
      </Head>
      {view === 'down' && (
        <a class="btn" href="">
          <Icon name="reload" />
          {words.t('tryAgain')}
        </a>
      )}
      {boot.reference && (
        <section class="card">
          <ReferenceField label={words.t('referenceHelp')} value={boot.reference} />
        </section>
      )}
    </main>
  )
}
