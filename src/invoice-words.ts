import { catalogue } from './i18n/catalogue.ts'
import { day } from './i18n/day.ts'
import { createWords } from './i18n/words.ts'
import type { InvoiceWordsOf } from './wire/invoice-words.ts'

/** The server's PDF and e-mail use the page's texts, so that an invoice reads the same everywhere. */
export const invoiceWords: InvoiceWordsOf = (locale) => {
  const words = createWords(locale, catalogue[locale])
  return {
    locale,
    dir: words.dir,
    from: words.t('invoiceFrom'),
    to: words.t('invoiceTo'),
    item: words.t('item'),
    tax: words.t('tax'),
    amount: words.t('amountLabel'),
    subtotal: words.t('subtotal'),
    total: words.t('total'),
    payOnline: words.t('payOnline'),
    payOnlineHint: words.t('payOnlineHint'),
    testMode: words.t('testMode'),
    mailPay: words.t('invoiceMailPay'),
    mailAttached: words.t('invoiceMailAttached'),
    mailReceipt: words.t('saveReceipt'),
    title: (number) => words.t('invoiceNo', { number }),
    issued: (date) => words.t('issuedOn', { date: day(locale, date) }),
    due: (date) => words.t('dueOn', { date: day(locale, date) }),
    taxNumber: (number) => words.t('taxNumber', { number }),
    taxAt: (rate) => words.t('taxAt', { rate: words.decimal(rate) }),
    line: (quantity, price) => `${words.decimal(quantity)} × ${price}`,
    money: words.fiat,
    rate: (percent) => `${words.decimal(percent)}%`,
    paidSubject: (about) => words.t('invoicePaidSubject', about),
    paidLead: (about) => words.t('invoicePaidLead', about),
    mailSubject: (about) => words.t('invoiceMailSubject', about),
    mailLead: ({ date, ...about }) => words.t('invoiceMailLead', { ...about, date: day(locale, date) }),
  }
}
