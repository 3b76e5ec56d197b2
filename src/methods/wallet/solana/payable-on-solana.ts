import { chainFacts } from '../../../wire/chain-facts.ts'
import type { CurrencyRead } from '../../../wire/currency.ts'
import type { OrderRead } from '../../../wire/order-read.ts'

/** A wallet pays in each currency in which the merchant is paid on the network, because nothing is converted there. */
export const payableOnSolana = (order: OrderRead): readonly CurrencyRead[] =>
  (order.settlements ?? []).map(({ currency }) => currency).filter((currency) => chainFacts(currency.chain_id)?.family === 'solana')
