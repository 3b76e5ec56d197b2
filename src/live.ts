import { createClient } from './api/client.ts'
import type { Words } from './i18n/words.ts'
import { openSocket } from './api/socket.ts'
import type { Clock } from './state/clock.ts'
import type { Page } from './state/page.ts'
import { createRequests, type Requests, type Writable } from './state/requests.ts'
import { listen } from './state/live.ts'
import { onWake } from './wake.ts'
import type { OrderBoot } from './wire/boot.ts'

/** The listening part of the page, a chunk of its own: schemas, client, socket. */

export const requestsOf = (of: Writable, { api, walletRelay }: OrderBoot, clock: Clock, words: Words): Requests => {
  const say = async (problem: string) => (await Promise.all([import('./i18n/why.ts'), words.whole()]))[0].whyText(words, problem)
  if (!api) throw new Error('this page may not talk to the service')
  const client = createClient({ fetch: (input, init) => fetch(input, init), base: api.base, key: api.key, onDate: clock.sync, say })
  return createRequests(of, client, () => clock.now.peek(), walletRelay)
}

export const goLive = (page: Page): (() => void) => {
  const { api, order } = page.boot
  if (!api) return () => {}
  return listen(page, {
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
