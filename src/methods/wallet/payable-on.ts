import { type ChainFamily, chainFacts } from '../../wire/chain-facts.ts'
import type { CurrencyRead } from '../../wire/currency.ts'
import type { OrderRead } from '../../wire/order-read.ts'

/** Returns the currencies in which the merchant is paid on chains of this family. A service that names no settlements has EVM chains only. */
export const payableOn = ({ settlements, fulfillment }: OrderRead, family: ChainFamily): readonly CurrencyRead[] =>
  (settlements?.length ? settlements.map(({ currency }) => currency) : [fulfillment?.asset]).flatMap((currency) =>
    currency && chainFacts(currency.chain_id)?.family === family ? [currency] : [],
  )
