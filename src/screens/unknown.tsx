import { useWords } from '../i18n/words.ts'
import { Head } from '../ui/head.tsx'
import { referenceOf } from '../order/merchant.ts'
import { Contact } from './pieces/contact.tsx'
import { usePage } from './pieces/page-context.ts'
import { Misdirected } from './pieces/misdirected.tsx'
import { ReferenceField } from './pieces/reference-field.tsx'
import { TransferList } from './pieces/transfer-list.tsx'

/** A newer service may send a status that this page does not know, so the text is neutral and the page keeps following the order. */
export const Unknown = () => {
  const words = useWords()
  const order = usePage().checkout.order.value
  return (
    <>
      <Head seal="info" title={words.t('unknownTitle')}>
        {words.t('unknownLead')}
      </Head>
      <TransferList title={words.t('receivedSoFar')} />
      <Misdirected />
      <Contact look="btn" />
      <section class="card">
        <ReferenceField label={words.t('referenceHelp')} value={referenceOf(order)} />
      </section>
    </>
  )
}
