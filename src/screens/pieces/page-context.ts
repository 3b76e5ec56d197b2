import { createContext, type VNode } from 'preact'
import { useContext } from 'preact/hooks'
import { useWords } from '../../i18n/words.ts'
import type { Page } from '../../model/page.ts'
import { payeeOf } from '../../order/merchant.ts'
import type { Secondary } from '../secondary.tsx'

/** A page as its screens know it. */
export type ScreenPage = Page<Secondary>

export const PageContext = createContext<ScreenPage | undefined>(undefined)

export const usePage = (): ScreenPage => {
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

/** What the server alone writes: the invoice, and the names of the languages. */
export const WrittenContext = createContext<{ readonly sheet: VNode | undefined; readonly languages: VNode } | undefined>(undefined)

export const useWritten = () => useContext(WrittenContext)

/** The browser keeps what the server wrote into an element: it never changes, so no script of it is ever loaded. */
export const kept = { __html: '' }
