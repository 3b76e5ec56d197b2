import type { TargetedEvent } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { Network } from '../../i18n/amount-text.tsx'
import { useWords } from '../../i18n/words.ts'
import { hrefOf } from '../../model/page.ts'
import { currencyField, paymentRequest } from '../../order/pay-currency.ts'
import { isWaiting } from '../../order/step.ts'
import { Address } from '../../ui/address.tsx'
import { Fold } from '../../ui/fold.tsx'
import { Note } from '../../ui/note.tsx'
import { TextForm } from '../../ui/text-form.tsx'
import type { CurrencyRead } from '../../wire/currency.ts'
import { useMerchant, usePage } from './page-context.ts'
import { addressProblem } from './refund-form.tsx'

interface GiveAddressProps {
  readonly of: CurrencyRead
  /** That of the button which opens the form. */
  readonly look: 'btn' | 'btn two'
}

/** Asks where money should go back to, since the sender's address may belong to an exchange. The merchant has to agree to the answer. */
export const GiveAddress = ({ of, look }: GiveAddressProps) => {
  const words = useWords()
  const merchant = useMerchant()
  const { checkout } = usePage()
  const proposed = checkout.order.value.payment?.refund?.proposed ?? []
  const newest = proposed.at(-1)
  const told = useRef<HTMLDivElement>(null)
  const isNew = useRef(!newest)
  // The form that had the focus is gone, so the focus goes to what has become of it.
  useEffect(() => {
    if (newest && isNew.current && document.activeElement === document.body) told.current?.focus()
    isNew.current = !newest
  }, [newest?.address])
  // The keys keep the second fold from being the first one, which the payer has opened.
  const isOpen = checkout.problem.value?.at === 'refund' || checkout.choice.value.form
  if (!newest)
    return (
      <details key="first" class="give" open={isOpen} onToggle={showForm}>
        <summary class={look}>{words.t('addressFold')}</summary>
        <section class="stack apart">
          <p>{words.t('nextAddress')}</p>
          <AddressForm of={of} look={look} />
        </section>
      </details>
    )
  return (
    <>
      <div ref={told} tabIndex={-1}>
        <Note icon="check" tone="ok" live>
          <p>{words.t('addressTold', { merchant })}</p>
          <Address value={newest.address} />
          {newest.chain_id !== undefined && <Network chainId={newest.chain_id} />}
        </Note>
      </div>
      <Fold key="other" title={words.t('addressOther')} open={isOpen}>
        {proposed.slice(0, -1).map(({ address }) => (
          <Address key={address} value={address} />
        ))}
        <AddressForm of={of} look="btn two" />
      </Fold>
    </>
  )
}

/** The form opens below a button that is often at the foot of a phone's screen. */
const showForm = ({ currentTarget: form }: TargetedEvent<HTMLDetailsElement>) => {
  if (!form.open) return
  form.scrollIntoView()
  form.querySelector<HTMLInputElement>('#back')?.focus({ preventScroll: true })
}

const AddressForm = ({ of, look }: { of: CurrencyRead; look: 'btn' | 'btn two' }) => {
  const words = useWords()
  const page = usePage()
  const { checkout } = page
  const choice = checkout.choice.value
  const problem = addressProblem(words, checkout.problem.value, of)
  return (
    <TextForm
      id="back"
      action={hrefOf(page, choice)}
      staticUrl={isWaiting(checkout.step.value, choice) && !problem ? hrefOf(page, { ...choice, form: true }) : undefined}
      fields={{ act: 'back', ...currencyField(of) }}
      label={words.t('refundLabel', { network: words.networkName(of.chain_id) })}
      button={words.t('addressSend')}
      look={look}
      isLong
      busy={checkout.busy.value === 'refund'}
      value={problem ? checkout.problem.value?.typed : undefined}
      problem={problem}
      onAct={(typed) => checkout.pay({ ...paymentRequest(of), refundAddress: typed, isAlone: true }, 'refund')}
    />
  )
}
