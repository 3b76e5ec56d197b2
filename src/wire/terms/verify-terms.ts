import { nativeAddress } from '../chain-facts.ts'
import type { OrderTerms } from './order-terms.ts'
import { isEvm, isEvmAddress, isObject, isWholeNumber, lowerCase, readTerms, settlementKey } from './read-terms.ts'
import { termsAddress } from './terms-hash.ts'
import type { OrderProblem, VerifiedOrder } from './verified-order.ts'

export type VerifiedTerms =
  | { readonly ok: true; readonly address: string; readonly terms: OrderTerms }
  | { readonly ok: true; readonly address: undefined; readonly terms?: undefined }
  | Extract<VerifiedOrder, { ok: false }>

/** Checks the same for somebody who does not know the recipients, like the page. */
export function verifyTerms(order: unknown, factory: string): VerifiedTerms {
  const shown = readShown(order)
  if (!shown) return refused('malformed')
  if (shown.terms === undefined || shown.terms === null) return isOnEvm(shown) ? refused('no_terms') : { ok: true, address: undefined }
  const terms = readTerms(shown.terms)
  if (!terms) return refused('malformed')
  if (terms.order_id !== shown.id) return refused('other_order')
  if (!isSame(factory, terms.factory)) return refused('other_factory')
  const address = termsAddress(terms)
  if (!shown.asks.every((ask) => asksFor(ask, address))) return refused('address')
  return agrees(shown, terms) ? { ok: true, address, terms } : refused('settlement')
}

export const refused = (problem: OrderProblem): Extract<VerifiedOrder, { ok: false }> => ({ ok: false, problem })

export const isSame = (a: unknown, b: string): boolean => isEvmAddress(a) && lowerCase(a) === lowerCase(b)

interface Currency {
  readonly chain_id: number
  readonly token: string | null
}

/** This is what an order shows, to a merchant or to a payer, of where money goes. */
interface Shown {
  readonly id: string
  readonly terms: unknown
  readonly payees: readonly { readonly currency: Currency; readonly recipient: string | undefined }[]
  /** The payer pays in one currency, which settles in another or in itself. */
  readonly input: Currency | undefined
  readonly output: Currency | undefined
  readonly asks: readonly { readonly currency: Currency; readonly address: string }[]
}

const isOnEvm = ({ payees, input, output, asks }: Shown): boolean =>
  [...payees, ...asks].some(({ currency }) => isEvm(currency.chain_id)) ||
  [input, output].some((currency) => currency && isEvm(currency.chain_id)) ||
  asks.some(({ address }) => isEvmAddress(address))

/** On a chain of another family nothing follows from the terms, but an address of the EVM there means that the chain is a wrong one. */
const asksFor = ({ currency, address }: Shown['asks'][number], expected: string): boolean =>
  isEvm(currency.chain_id) ? isSame(address, expected) : !isEvmAddress(address)

function agrees({ payees, input, output, asks }: Shown, { settlements }: OrderTerms): boolean {
  const settlementIn = (currency: Currency) => settlements.find((settlement) => settlementKey(settlement) === settlementKey(currency))
  const isPaidTo = ({ currency, recipient }: Shown['payees'][number]): boolean => {
    if (!isEvm(currency.chain_id)) return !isEvmAddress(recipient)
    const settlement = settlementIn(currency)
    return settlement !== undefined && (recipient === undefined || isSame(recipient, settlement.recipient))
  }
  /** What is a settlement's currency settles as it is. Anything else is converted on its own chain. */
  const settlesAs = (from: Currency, to: Currency | undefined): boolean =>
    isEvm(from.chain_id) && (settlementIn(from) || !to)
      ? settlementIn(from) !== undefined && (!to || isSameCurrency(from, to))
      : !to || from.chain_id === to.chain_id
  return (
    payees.every(isPaidTo) &&
    (!input || settlesAs(input, output)) &&
    asks.every(({ currency }) => (input ? isSameCurrency(currency, input) : settlesAs(currency, output)))
  )
}

const isSameCurrency = (a: Currency, b: Currency): boolean => settlementKey(a) === settlementKey(b)

/** Returns undefined if the order lacks what every order has, or if a member that matters is not of its type. */
export function readShown(order: unknown): Shown | undefined {
  if (!isObject(order) || typeof order.id !== 'string' || !isObject(order.fulfillment)) return undefined
  const { fulfillment, settlements = [], payment = {} } = order
  if (!Array.isArray(settlements) || !isObject(payment)) return undefined
  const { input = {}, output = {}, steps = [], recipient } = payment
  if (!isObject(input) || !isObject(output) || !Array.isArray(steps)) return undefined
  const asset = readCurrency(fulfillment.asset)
  const [paid, settled] = [readCurrency(input.currency), readCurrency(output.currency)]
  if (!asset || (input.currency !== undefined && !paid) || (output.currency !== undefined && !settled)) return undefined
  const asks = steps.flatMap((step: unknown) => readAsk(step, paid ?? asset))
  const listed = settlements.map(readSettlement)
  if (!listed.every(isRead) || new Set(listed.map(({ currency }) => settlementKey(currency))).size < listed.length) return undefined
  const payees = [readPayee(asset, fulfillment.recipient), ...listed, ...(settled ? [readPayee(settled, recipient)] : [])]
  if (!asks.every(isRead) || !payees.every(isRead)) return undefined
  return { id: order.id, terms: order.terms, payees, input: paid, output: settled, asks }
}

const isRead = <T>(value: T | undefined): value is T => value !== undefined

function readCurrency(value: unknown): Currency | undefined {
  if (!isObject(value) || !isWholeNumber(value.chain_id)) return undefined
  const { chain_id, address } = value
  if (address === undefined || address === null || address === '' || address === nativeAddress) return { chain_id, token: null }
  return typeof address === 'string' && (isEvmAddress(address) || !isEvm(chain_id)) ? { chain_id, token: address } : undefined
}

const readPayee = (currency: Currency, recipient: unknown): Shown['payees'][number] | undefined =>
  recipient === undefined || typeof recipient === 'string' ? { currency, recipient } : undefined

function readSettlement(value: unknown): Shown['payees'][number] | undefined {
  const currency = isObject(value) ? readCurrency(value.currency) : undefined
  if (!isObject(value) || !currency) return undefined
  return value.chain_id === undefined || value.chain_id === currency.chain_id ? readPayee(currency, value.recipient) : undefined
}

/** A step of a kind that is unknown here, like a card's, asks for nothing unless it names an address. */
function readAsk(step: unknown, fallback: Currency): readonly (Shown['asks'][number] | undefined)[] {
  if (!isObject(step)) return [undefined]
  if (step.data === undefined) return []
  // Nothing in the terms says what a prepared transaction may call.
  if (!isObject(step.data) || step.data.evm !== undefined) return [undefined]
  const { deposit_address: address, currency } = step.data
  if (address === undefined) return []
  const asked = currency === undefined ? fallback : readCurrency(currency)
  return [asked && typeof address === 'string' ? { currency: asked, address } : undefined]
}
