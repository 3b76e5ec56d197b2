import { useRef } from 'preact/hooks'
import { useAllWords } from '../../../i18n/words.ts'
import { Note } from '../../../ui/note.tsx'
import type { ListedWallet, Wallet } from '../wallets.ts'
import { walletName } from './wallet-name.ts'
import { isPhone } from './surroundings.ts'

/** The cancel button ignores clicks during this time, because it may appear under the second click of a double click. */
const armedAfterMs = 800

/** The payer has to act in the wallet now. If the wallet is another app on this phone, a link brings it to the front. */
export const Waiting = ({
  wallet,
  slow,
  onCancel,
}: {
  wallet: ListedWallet & Pick<Wallet, 'open'>
  slow: boolean
  onCancel?: () => void
}) => {
  const words = useAllWords()
  const since = useRef(performance.now())
  const name = walletName(words, wallet)
  const app = isPhone() ? wallet.open : undefined
  return (
    <>
      {slow && (
        <Note live>
          <p>{words.t('waitingSlow', { wallet: name })}</p>
        </Note>
      )}
      {app && (
        <a class="btn" href={app} rel="noreferrer">
          {words.t('walletsOpenNamed', { wallet: name })}
        </a>
      )}
      <div class={app ? 'btn two' : 'btn'} role="status" aria-disabled="true">
        <span class="spin" />
        {words.t('waitingFor', { wallet: name })}
      </div>
      {onCancel && (
        <button class="btn two" onClick={() => performance.now() - since.current > armedAfterMs && onCancel()}>
          {words.t('cancel')}
        </button>
      )}
    </>
  )
}
