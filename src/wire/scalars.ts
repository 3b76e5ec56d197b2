import * as z from 'zod/mini'

/** An amount in smallest units may have 78 digits, so every uint256 fits. */
export const RawString = z.string().check(z.regex(/^(0|[1-9]\d{0,77})$/))

/** Signs, exponents and separators are refused, so that every amount has one obvious reading. */
export const Decimal = z.string().check(z.regex(/^(0|[1-9]\d{0,77})(\.\d{1,36})?$/, 'must be a plain decimal number like 42.50'))

/** The page reads integers with this, because Zod's own check has the limits of every kind of number, whose code it would have to load. */
export const IntegerRead = z.number().check(({ value, issues }) => {
  if (!Number.isSafeInteger(value)) issues.push({ code: 'custom', input: value, message: 'must be an integer' })
})

export const DateTime = z.iso.datetime({ offset: true })

/** What is not a time at all has been refused already, and has no year. */
const isStorable = (value: string): boolean => {
  const year = new Date(value).getUTCFullYear()
  return !(year < 1 || year > 9999)
}

/** PostgreSQL has no year 0, and reads no year of five digits as JavaScript writes it. An offset can lead to either. */
export const StorableDateTime = z.iso.datetime({ offset: true }).check(z.refine(isStorable, 'must be in the years 1 to 9999 of UTC'))

/** Ids are opaque and URL-safe, so they need no escaping in a path. */
export const Id = z.string().check(z.regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be an id as this service gave it'))

const printable = /^[^\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F]*$/

/** Lone surrogates and control characters but tabs and line breaks are refused, because PostgreSQL and JSON treat some differently. */
export const text = (max: number, min = 0) =>
  z.string().check(
    z.minLength(min),
    z.maxLength(max),
    z.regex(printable, 'must not have control characters'),
    z.refine((value) => value.isWellFormed(), 'must be well-formed text'),
  )

export const HttpUrl = z.url({ protocol: /^https?$/ }).check(z.maxLength(2048))

const parsed = (value: string): URL | undefined => (URL.canParse(value) ? new URL(value) : undefined)

const isSecureOrLocal = (value: string): boolean => {
  const url = parsed(value)
  if (!url || url.username || url.password) return false
  return url.protocol === 'https:' || (url.protocol === 'http:' && (url.hostname === 'localhost' || url.hostname === '127.0.0.1'))
}

/** The URL is https, or http on localhost. It is stored as it was written, so it also has to pass `text`. */
export const SecureUrl = text(2048).check(z.refine(isSecureOrLocal, 'must be an https address'))

/** An origin has a scheme, a host and, unless it is the default, a port, and must be written exactly as browsers write it. */
export const Origin = z.string().check(
  z.maxLength(300),
  z.refine(
    (value) => isSecureOrLocal(value) && parsed(value)?.origin === value && !value.includes('*'),
    'must be an origin like https://shop.example',
  ),
)

/** Addresses of all chains pass this. The exact form depends on the chain and is checked where the chain is known. */
export const Address = z.string().check(z.maxLength(128), z.regex(/^[A-Za-z0-9]+(::[A-Za-z0-9_]+){0,2}$/, 'must be an address'))

export const TxHash = z.string().check(z.regex(/^[A-Za-z0-9]{32,128}$/, 'must be a transaction hash'))

export const Email = z.email().check(z.maxLength(254))

const isHttpsOrMail = (value: string): boolean => {
  if (value.startsWith('mailto:')) return z.safeParse(Email, value.slice('mailto:'.length)).success
  return value.startsWith('https://') && isSecureOrLocal(value)
}

/** Payers are sent here for help. A mail has one recipient and nothing else, so that no link can fill in copies, a text or a file. */
export const SupportUrl = text(2048).check(z.refine(isHttpsOrMail, 'must be an https address, or mailto: with one mail address'))

/** An address on paper, one line of text for each of its lines. Its limits keep an invoice's head on one page. */
export const PostalAddress = text(300, 1).check(
  z.refine((value) => addressLines(value).length > 0 && addressLines(value).length <= 6, 'must have from 1 to 6 lines'),
)
export const addressLines = (address: string): readonly string[] => address.split(/[\r\n]+/).filter((line) => line.trim() !== '')
export const TaxNumber = text(64, 1)
