import { askProvider, type ProviderAddress, readCallback } from './ask-provider.ts'
import { ProviderUnavailable } from './callback.ts'
import { CardAnswer, type CardDesk, CardNews } from './card.ts'

/** A card provider behind docs/cards.md: POST {url}/sessions, and signed callbacks. */
export const httpCard = (address: ProviderAddress): CardDesk => ({
  async open(ask, signal) {
    const answer = await askProvider('The card provider', address, { path: '/sessions', body: ask, schema: CardAnswer, signal })
    if (!answer) throw new ProviderUnavailable('The card provider', 'answered 404')
    return answer
  },
  read: (header, body, now) => readCallback(address.secret, header, body, CardNews, now),
})
