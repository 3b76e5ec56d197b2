import type { OrderRead } from '../wire/order-read.ts'

/**
 * Returns where the payer of this order gets help, a mail with this subject. The order may come from any service, so a URL of any other kind, as
 * `javascript:`, is left out. So is that of an unsigned order, because anybody could have written it.
 */
export const supportUrlOf = ({ settings, created_by }: OrderRead, subject: string): string | undefined =>
  created_by === 'key' ? undefined : contactUrl(settings?.support_url ?? '', subject)

export const contactUrl = (url: string, subject: string): string | undefined => {
  if (/^https:\/\//i.test(url)) return url
  return /^mailto:[^\s?#&,;%@<>"]+@[^\s?#&,;%@<>"]+$/i.test(url) ? `${url}?subject=${encodeURIComponent(wellFormed(subject))}` : undefined
}

/** Half a surrogate pair cannot be encoded. */
const wellFormed = (text: string): string => text.replace(/\p{Surrogate}/gu, '\ufffd')
