import { familyOf } from '../wire/addresses/networks.ts'
import type { ChainFamily } from '../wire/chain-facts.ts'
import type { CurrencyRead } from '../wire/currency.ts'

/** Also knows the test networks, and returns undefined for a chain that this page does not know. */
export const currencyFamily = ({ chain_id }: CurrencyRead): ChainFamily | undefined => familyOf(chain_id)
