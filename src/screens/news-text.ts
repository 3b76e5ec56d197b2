import type { AllWords } from '../i18n/words.ts'
import type { News } from '../order/news.ts'

export const newsText = (words: AllWords, news: News): string => {
  switch (news.type) {
    case 'received':
      return words.t('saysPartial', { amount: words.funds(news.amount), rest: words.funds(news.rest) })
    case 'replaced':
      return words.t('replaced', { amount: words.funds(news.amount) })
    case 'vanished':
      return words.t('vanished', { amount: words.funds(news.amount) })
    case 'repriced': {
      const { was, now } = news
      return words.t('priceChanged', { was: words.token(was.raw, was.currency), now: words.token(now.raw, now.currency) })
    }
    case 'stray': {
      const { raw, currency } = news.amount
      const text = words.t('strayArrived', { amount: words.token(raw, currency), network: words.networkName(currency.chain_id) })
      return `${text} ${words.t('strayHeld')}`
    }
    case 'extended':
      return words.t('saysMore')
    default:
      return news satisfies never
  }
}
