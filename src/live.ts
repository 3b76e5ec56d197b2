import { createClient } from './api/client.ts'
import { openSocket } from './api/socket.ts'
import type { RestMessages } from './i18n/messages.ts'
import type { AllWords } from './i18n/words.ts'
import type { Clock } from './model/clock.ts'
import { followOrder } from './model/follow-order.ts'
import type { Page } from './model/page.ts'
import { createService, type Service } from './model/service.ts'
import { onWake } from './wake.ts'
import type { OrderBoot } from './wire/boot.ts'
import type { Locale } from './wire/locale.ts'

/** This module brings the client, the schemas and the socket. It is fetched after hydration, so that the page is usable sooner. */

export const connectTo = ({ api }: OrderBoot, clock: Clock, words: AllWords): Service => {
  if (!api) throw new Error('this page has no key for the service')
  const client = createClient({
    fetch: fetch.bind(window),
    base: api.base,
    key: api.key,
    onDate: clock.sync,
    translate: async (problem) => {
      await words.rest()
      return words.problemText(problem)
    },
  })
  return createService(client)
}

export const goLive = (page: Page, words: AllWords): (() => void) => {
  const { api, order, factory } = page.boot
  const isLive = () => void (document.getElementById('till')!.dataset.ready = 'live')
  if (!factory) isLive()
  else
    import('./check-order.tsx').then(
      ({ checkOrder }) => {
        checkOrder(page, words, factory)
        isLive()
      },
      // Nothing can be copied before the check, so the payer is asked to try again.
      () => page.connection.giveUp(page.clock.now.peek()),
    )
  if (!api) return () => {}
  return followOrder(page, {
    openSocket: ({ up, down, order: take }) =>
      openSocket({
        open: (url) => new WebSocket(url),
        random: Math.random,
        url: `${api.base.replace(/^http/, 'ws')}/ws`,
        key: api.key,
        orderId: order.id,
        onUp: up,
        onDown: down,
        onOrder: take,
      }),
    onWake,
    random: Math.random,
  })
}

/** Each language is a file of its own. A page fetches one when it needs a text that the first screens do not have. */
const languages = import.meta.glob<RestMessages>('./i18n/locales/*.ts', { import: 'rest' })

export const loadRest = (locale: Locale): Promise<RestMessages> => {
  const load = languages[`./i18n/locales/${locale}.ts`]
  if (!load) throw new Error(`unknown locale: ${locale}`)
  return load()
}
