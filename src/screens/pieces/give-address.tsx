import { useEffect, useRef } from 'preact/hooks'
import { Network } from '../../i18n/amount-text.tsx'
import { useWords } from '../../i18n/words.ts'
import { hrefOf } from '../../model/page.ts'
import { paymentRequest } from '../../order/pay-currency.ts'
import { isWaiting } from '../../order/step.ts'
import { currencyToReturn } from '../../order/to-return.ts'
import { Address } from '../../ui/address.tsx'
import { Fold } from '../../ui/fold.tsx'
import { Note } from '../../ui/note.tsx'
import { TextForm } from '../../ui/text-form.tsx'
import { useMerchant, usePage } from './page-context.ts'
import { addressProblem } from './refund-form.tsx'

/** Asks where money should go back to, since the sender's address may belong to an exchange. The merchant has to agree to the answer. */
export const GiveAddress = ({ isFolded = false }: { isFolded?: boolean }) => {
  const words = useWords()
  const merchant = useMerchant()
  const { checkout } = usePage()
  const [newest, ...earlier] = checkout.order.value.payment?.refund?.proposed?.toReversed() ?? []
  const told = useRef<HTMLDivElement>(null)
  const first = useRef(newest?.address)
  // The form that was just used is gone, so the focus goes to what has become of it.
  useEffect(() => {
    if (newest && newest.address !== first.current) told.current?.focus()
    first.current = newest?.address
  }, [newest?.address])
  const isOpen = checkout.problem.value?.at === 'refund' || checkout.choice.value.form
  if (!newest) {
    const form = (
      <section class="stack">
        <p>{words.t('nextAddress', { merchant })}</p>
        <AddressForm look={isFolded ? 'btn two' : 'btn'} />
      </section>
    )
    return isFolded ? (
      <Fold title={words.t('addressFold')} open={isOpen}>
        {form}
      </Fold>
    ) : (
      form
    )
  }
  return (
    <>
      <div ref={told} tabIndex={-1}>
        <Note icon="check" tone="ok">
          <p>{words.t('addressTold', { merchant })}</p>
          <Address value={newest.address} />
          {newest.chain_id !== undefined && <Network chainId={newest.chain_id} />}
        </Note>
      </div>
      <Fold title={words.t('addressOther')} open={isOpen}>
        {earlier.map(({ address }) => (
          <Address key={address} value={address} />
        ))}
        <AddressForm look="btn two" />
      </Fold>
    </>
  )
}

const AddressForm = ({ look }: { look: 'btn' | 'btn two' }) => {
  const words = useWords()
  const page = usePage()
  const { checkout } = page
  const currency = currencyToReturn(checkout.order.value)
  if (!currency) return null
  const choice = checkout.choice.value
  const problem = addressProblem(words, checkout.problem.value, currency)
  return (
    <TextForm
      id="back"
      action={hrefOf(page, choice)}
      staticUrl={isWaiting(checkout.step.value, choice) && !problem ? hrefOf(page, { ...choice, form: true }) : undefined}
      fields={{ act: 'back' }}
      label={words.t('refundLabel', { network: words.networkName(currency.chain_id) })}
      button={words.t('addressSend')}
      look={look}
      isLong
      busy={checkout.busy.value === 'refund'}
      value={problem ? checkout.problem.value?.typed : undefined}
      problem={problem}
      onAct={(typed) => checkout.pay({ ...paymentRequest(currency), refundAddress: typed, isAlone: true }, 'refund')}
    />
  )
}
