import { createContext, type ComponentChildren } from 'preact'
import { useContext } from 'preact/hooks'
import { chainFacts } from '../wire/chain-facts.ts'
import type { CurrencyRead } from '../wire/currency.ts'
import type { Fiat } from '../wire/fiat.ts'
import type { Funds } from '../wire/funds.ts'
import { directionOf, type Locale } from '../wire/locale.ts'
import type { CountKey, FirstKey, MessageKey, Messages, Params, Plural, TextKey } from './messages.ts'
import { createNumbers, type Numbers } from './number.ts'
import { uncached, type FormatCache } from './format-cache.ts'

type Fill<K extends TextKey, V> = [Params<K>] extends [never] ? [] : [params: { readonly [P in Params<K>]: V }]

/** The texts, numbers and dates of one language. By default only the first texts can be used, because the rest may not be loaded yet. */
export interface Words<Key extends MessageKey = FirstKey> extends Numbers {
  readonly locale: Locale
  readonly dir: 'ltr' | 'rtl'
  /** Reuses what the server has formatted. */
  readonly cached: FormatCache
  /** Resolves to every text of the language. */
  rest(): Promise<Messages>
  t<K extends TextKey & Key>(key: K, ...fill: Fill<K, string>): string
  /** Does the same as `t`, but the values may be elements. */
  rich<K extends TextKey & Key>(key: K, ...fill: Fill<K, ComponentChildren>): ComponentChildren[]
  plural(key: CountKey & Key, count: number): string
  networkName(chainId: number): string
  tokenOn(currency: CurrencyRead): string
  /** Returns a text like '42.50 USDC'. */
  token(raw: bigint, currency: CurrencyRead): string
  funds(funds: Funds): string
  /** Returns a text like '≈ $42.50'. */
  about(fiat: Fiat): string
  /** Returns a text like '12 May, 14:07'. */
  moment(ms: number, zone: string): string
  time(ms: number, zone: string): string
}

/** The server has every text. In the browser these texts may be used only after `rest` has resolved. */
export type AllWords = Words<MessageKey>

const gap = /\{(\w+)\}/

const dateStyles = {
  time: { hour: '2-digit', minute: '2-digit' },
  moment: { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>

interface WordsParts {
  readonly rest?: Words['rest']
  readonly cached?: FormatCache
  /** Called when a text is asked for that is not there yet. It is empty until then. */
  readonly onMissing?: () => undefined
}

export const createWords = (
  locale: Locale,
  messages: Messages,
  { rest = async () => messages, cached = uncached, onMissing }: WordsParts = {},
): AllWords => {
  const numbers = createNumbers(locale, cached)
  // `en` alone means American English to Intl, which puts the month first. British dates are understood more widely.
  const dates = locale === 'en' ? 'en-GB' : locale
  const dated = (style: keyof typeof dateStyles) => (ms: number, zone: string) =>
    cached(`${style} ${ms} ${zone}`, () =>
      new Intl.DateTimeFormat(dates, { ...dateStyles[style], numberingSystem: 'latn', hourCycle: 'h23', timeZone: zone }).format(ms),
    ) + utc(zone)
  // The pattern has one group, so `split` returns texts and the names between them alternately.
  const rich = (key: TextKey, params: Record<string, ComponentChildren> = {}) => {
    const text = messages[key] ?? onMissing?.() ?? ''
    return text.split(gap).map((part, at) => (at % 2 ? params[part] : part))
  }
  const words: AllWords = {
    ...numbers,
    cached,
    rest,
    locale,
    dir: directionOf(locale),
    t: (key, ...[params]) => rich(key, params).join(''),
    rich: (key, ...[params]) => rich(key, params),
    plural: (key, count) =>
      cached(`${key} ${count}`, () => {
        const forms: Plural = messages[key] ?? onMissing?.() ?? { other: '' }
        return (forms[new Intl.PluralRules(locale).select(count)] ?? forms.other).replace(gap, numbers.count(count))
      }),
    networkName: (chainId) => chainFacts(chainId)?.name ?? words.t('networkNo', { id: String(chainId) }),
    tokenOn: (currency) => words.t('tokenOn', { token: currency.symbol, network: words.networkName(currency.chain_id) }),
    token: (raw, { decimals, symbol }) => `${numbers.amount(raw, decimals)} ${symbol}`,
    funds: ({ raw, currency }) => words.tokenOn({ ...currency, symbol: words.token(raw, currency) }),
    about: ({ decimal, unit }) => `≈ ${numbers.fiat(decimal, unit)}`,
    moment: dated('moment'),
    time: dated('time'),
  }
  return words
}

/** The server does not know the payer's time zone, so its times carry the suffix UTC. */
export const utc = (zone: string) => (zone === 'UTC' ? ' UTC' : '')

export const WordsContext = createContext<AllWords | undefined>(undefined)

export const useAllWords = (): AllWords => {
  const words = useContext(WordsContext)
  if (!words) throw new Error('WordsContext is missing')
  return words
}

export const useWords = (): Words => useAllWords()

/** Collects the texts of a copy button, because src/ui may not import src/i18n. */
export const copyWords = (words: Words) => ({ copy: words.t('copy'), copied: words.t('copied'), byHand: words.t('copyByHand') })
