import { effect } from '@preact/signals'
import { createClient } from './api/client.ts'
import { openSocket } from './api/socket.ts'
import { problemText } from './i18n/problem-text.ts'
import type { AllWords } from './i18n/words.ts'
import type { Clock } from './model/clock.ts'
import { followOrder } from './model/follow-order.ts'
import { createService, type Service } from './model/service.ts'
import type { ScreenPage } from './screens/pieces/page-context.ts'
import { onWake } from './wake.ts'
import type { OrderBoot } from './wire/boot.ts'
import { choiceQuery, parseChoice } from './wire/choice.ts'

/** This module brings the client, the schemas and the socket. It is fetched after hydration, so that the page is usable sooner. */

export const connectTo = ({ api }: OrderBoot, clock: Clock, words: AllWords): Service => {
  if (!api) throw new Error('this page has no key for the service')
  const client = createClient({
    fetch: fetch.bind(window),
    base: api.base,
    key: api.key,
    onDate: clock.sync,
    translate: async (problem) => problemText(await words.rest(), problem),
  })
  return createService(client)
}

export const goLive = (page: ScreenPage, words: AllWords): (() => void) => {
  const { api, order, factory } = page.boot
  const ended = new AbortController()
  const { signal } = ended
  const fromUrl = () => parseChoice(new URLSearchParams(location.search))
  const follow = () => page.checkout.restore(fromUrl())
  addEventListener('popstate', follow, { signal })
  // The payer can go back before this is loaded.
  if (choiceQuery(fromUrl()) !== choiceQuery(page.checkout.choice.peek())) follow()
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
  // The page works without its live title and the menu's keys, so a failed load is ignored here; screens that need the secondary parts
  // report it.
  page.secondary.load().then(
    ({ titleOf, languageMenu }) => {
      if (signal.aborted) return
      signal.onabort = effect(() => {
        document.title = titleOf(words, page)
        languageMenu.follow(page)
      })
      // It comes before the listener in host.ts, whichever was loaded first.
      addEventListener('keydown', languageMenu.keydown, { capture: true, signal })
      // This event does not bubble.
      addEventListener('toggle', languageMenu.toggle, { capture: true, signal })
    },
    () => undefined,
  )
  // A list that the lost connection has cut short is asked for again.
  const unwatch = effect(() => {
    const { checkout, connection } = page
    const isBack = connection.state.value.at === 'live'
    const problem = checkout.problem.peek()
    if (isBack && problem?.at === 'search' && problem.code === 'offline') void checkout.search(checkout.choice.peek().query ?? '')
  })
  const unfollow =
    api &&
    followOrder(page, {
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
  return () => {
    ended.abort()
    unwatch()
    unfollow?.()
  }
}
