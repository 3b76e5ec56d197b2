import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from './support/root.ts'

/**
 * A base58 address or hash whose case changes is another one, so only the codecs in `src/wire/addresses` change the case of either. Each other
 * file or folder that changes the case of anything is listed here with what that is.
 */
const allowed: Readonly<Record<string, string>> = {
  'src/wire/addresses/': 'the codecs',
  'server/chains/evm/': 'bytes in hex, as EVM nodes and signers write them, and the names of price feeds',
  'src/wire/terms/words.ts': 'bytes in hex, which are hashed',
  'server/incoming/x402/': 'EIP-3009 messages, which are bytes in hex, and the name of a family in a request',
  'src/methods/wallet/reads.ts': 'accounts and call data of an EVM wallet',
  'src/methods/wallet/asked-transfer.ts': 'hashes that an EVM wallet answers with',
  'server/currencies/currency-search.ts': 'what a person types into a search',
  'server/invoices/invoice-queries.ts': 'what a person types into a search',
  'server/invoices/notices.ts': 'codes of fiat currencies',
  'server/fiat/verifications.ts': 'mail addresses',
  'server/http/client-address.ts': 'IP addresses',
  'server/http/country.ts': 'codes of countries',
  'server/orders/order-errors.ts': 'codes of fiat currencies',
  'server/orders/network-fee.ts': 'codes of fiat currencies',
  'server/orders/routes/payment-methods.ts': 'codes of fiat currencies',
  'src/methods/address/view/qr-text.ts': 'a SegWit address in a QR code, which is smaller in large letters',
  'src/ui/mark.tsx': 'symbols of tokens, whose marks do not depend on their spelling',
  'src/i18n/number.ts': 'codes of fiat currencies',
  'src/methods/card/view/card-view.tsx': 'codes of fiat currencies',
  'src/wire/fiat.ts': 'codes of fiat currencies',
  'server/fiat/cards.ts': 'codes of fiat currencies',
  'src/order/order-lines.ts': 'codes of fiat currencies',
  'src/order/receipt.ts': 'codes of fiat currencies',
  'server/monitoring/price-figures.ts': 'price ids, which sources write in small letters',
  'server/operator/check-prices.ts': 'price ids, which sources write in small letters',
  'server/providers/price-sources/': 'price ids, which sources write in small letters',
  'server/pages/brand.ts': 'colours',
  'server/pages/language.ts': 'tags of languages',
  'server/reference/': 'methods of HTTP and anchors of headings',
}

const changesCase = /\.to(?:Locale)?(?:Lower|Upper)Case\b|\b(?:lower|upper)\(\s*[a-z_.]*(?:address|hash|recipient|token)/
const files = ['src', 'server']
  .flatMap((folder) => (readdirSync(join(root, folder), { recursive: true }) as string[]).map((file) => `${folder}/${file}`))
  .filter((file) => /\.(tsx?|sql)$/.test(file) && !file.includes('/artifacts/'))
const changing = files.filter((file) => changesCase.test(readFileSync(join(root, file), 'utf8')))

test('behavior: only codecs change the case of addresses and hashes', () => {
  expect(changing.filter((file) => !Object.keys(allowed).some((path) => file.startsWith(path)))).toEqual([])
})

test('behavior: the list names nothing that changes no case', () => {
  expect(Object.keys(allowed).filter((path) => !changing.some((file) => file.startsWith(path)))).toEqual([])
})
