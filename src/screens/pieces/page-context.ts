import { createContext, type VNode } from 'preact'
import { useContext } from 'preact/hooks'
import { useWords } from '../../i18n/words.ts'
import type { Page } from '../../model/page.ts'
import { payeeOf } from '../../order/merchant.ts'
import type { Secondary } from './secondary-parts.ts'

export type ScreenPage = Page<Secondary>

export const PageContext = createContext<ScreenPage | undefined>(undefined)

export const usePage = (): ScreenPage => {
  const page = useContext(PageContext)
  if (!page) throw new Error('PageContext is missing')
  return page
}

export const useMerchant = (): string => {
  const { checkout } = usePage()
  const words = useWords()
  return payeeOf(checkout.order.value) ?? words.t('theShop')
}

interface ServerRendered {
  readonly invoice?: { readonly bar: VNode; readonly sheet: VNode }
  readonly footer: VNode
}

/** Only the server renders these, so the browser loads no code for them. In the browser the context is undefined. */
export const ServerRenderedContext = createContext<ServerRendered | undefined>(undefined)

export const useServerRendered = () => useContext(ServerRenderedContext)
