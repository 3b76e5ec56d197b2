import { hrefOf } from '../../model/page.ts'
import type { Choice } from '../../wire/choice.ts'
import type { ScreenPage } from './page-context.ts'

/** What a link needs that leads to another choice on this page. Without scripts its URL does the same. */
export const choiceLink = (page: ScreenPage, choice: Choice) => ({
  href: hrefOf(page, choice),
  onClick: (event: Event) => {
    event.preventDefault()
    page.checkout.choose(choice)
    if (choice.pick) void page.checkout.search('')
  },
})

/** The list of tokens and networks. */
export const picking = { method: 'address', pick: true } as const
