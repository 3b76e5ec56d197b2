import { AddressView } from '../address/view/address-view.tsx'

/** What the server renders too: payable before any script runs. */
export const views = { address: AddressView }
