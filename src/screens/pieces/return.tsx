import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { useWords } from '../../i18n/words.ts'
import { hasOpenMoney } from '../../order/open-money.ts'
import { receiptOf } from '../../order/receipt.ts'
import { useMerchant, usePage } from './page-context.ts'
import { useOwnState } from '../../ui/own-state.ts'

/** The payer has to have time to save the receipt. */
const secondsBeforeReturn = 10

/** Who opens the page of an order that was paid longer ago wants its receipt. */
const newMs = 600_000
/** This stays with the page's entry in the history, and so is there again after a reload or when the payer comes back from the shop. */
const stays = 'stay'

/** A long press is no click. A press alone must change nothing, because what moves under it would not be clicked. */
const uses = ['click', 'keydown', 'contextmenu', 'wheel', 'touchmove'] as const

/** The page returns to the shop by itself only if it is a full page, no money is open, and the payer neither uses the page nor has opened anything. */
export const Return = ({ look }: { look: 'btn' | 'btn two' }) => {
  const words = useWords()
  const merchant = useMerchant()
  const { boot, checkout, clock, leave } = usePage()
  const url = useReturnUrl()
  const left = useOwnState<number>()
  const notice = useRef<HTMLParagraphElement>(null)
  const automatic = url !== undefined && boot.surface === 'page' && !hasOpenMoney(checkout.order.value)
  useEffect(() => {
    const { at = 0 } = receiptOf(checkout.order.peek())
    const isNew = clock.now.peek() - at < newMs && history.state !== stays
    left.value = automatic && isNew ? secondsBeforeReturn : undefined
  }, [automatic])
  // Whoever uses the page stays on it. Leaving would also cancel a download whose answer is slow.
  useEffect(() => {
    if (!automatic) return
    const stay = () => {
      left.value = undefined
      history.replaceState(stays, '')
    }
    for (const use of uses) document.addEventListener(use, stay)
    return () => uses.forEach((use) => document.removeEventListener(use, stay))
  }, [automatic])
  useEffect(() => {
    const seconds = left.value
    if (seconds === undefined || !url) return
    const timer = setInterval(() => {
      // Nobody can stop what they do not see, and whoever has opened something is reading it.
      if (document.hidden || !isInView(notice.current)) return
      if (document.querySelector('details[open]')) left.value = undefined
      else if (seconds > 1) left.value = seconds - 1
      else {
        // Browsers may keep this page as it is, and show it again when the payer comes back.
        left.value = undefined
        history.replaceState(stays, '')
        leave(url)
      }
    }, 1_000)
    return () => clearInterval(timer)
  }, [left.value, url])
  if (!url) return null
  return (
    <div class="stack">
      <ShopLink look={look} url={url}>
        {words.t('returnTo', { merchant })}
      </ShopLink>
      {left.value !== undefined && (
        <p class="soft center" ref={notice}>
          {words.plural('goingBack', left.value)}{' '}
          <button type="button" class="link" onClick={() => void (left.value = undefined)}>
            {words.t('stay')}
          </button>
        </p>
      )}
    </div>
  )
}

const isInView = (element: Element | null): boolean => {
  if (!element) return false
  const { top, bottom } = element.getBoundingClientRect()
  return top < innerHeight && bottom >= 0
}

export const BackToShop = ({ look }: { look: 'btn' | 'btn two' }) => {
  const [words, merchant, url] = [useWords(), useMerchant(), useReturnUrl()]
  return url ? (
    <ShopLink look={look} url={url}>
      {words.t('returnTo', { merchant })}
    </ShopLink>
  ) : null
}

/** From a frame, the link opens the shop in the whole tab. */
const ShopLink = ({ url, look, children }: { url: string; look: string; children: ComponentChildren }) => (
  <a class={look} href={url} rel="noreferrer" target={usePage().boot.surface === 'frame' ? '_top' : undefined}>
    {children}
  </a>
)

/** The URL comes from the merchant, so anything but http(s), such as `javascript:`, is refused. */
const useReturnUrl = (): string | undefined => {
  const url = usePage().checkout.order.value.settings?.return_url
  return url && /^https?:\/\//i.test(url) ? url : undefined
}
