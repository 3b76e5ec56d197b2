import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { payeeOf } from '../state/merchant.ts'
import type { Page } from '../state/page.ts'
import { useWords } from '../i18n/words.ts'

export const PageContext = createContext<Page | undefined>(undefined)

export const usePage = (): Page => {
  const page = useContext(PageContext)
  if (!page) throw new Error('a screen renders inside its page')
  return page
}

/** Who gets the money: "the shop" where nobody is named. */
export const useMerchant = (): string => {
  const { checkout } = usePage()
  const words = useWords()
  return payeeOf(checkout.order.value) ?? words.t('theShop')
}
