import { isEvm } from './read-terms.ts'
import { verifyOrder } from './verify-order.ts'
import { readShown } from './verify-terms.ts'

/**
 * Checks for the page around a frame that an order pays nobody but its merchant, whose recipients `expect` lists with commas between them.
 * Nothing binds the addresses of chains that are not EVM, so there every recipient that the order names has to be one of them.
 */
export function isExpectedOrder(order: unknown, factory: string | undefined, expect: string | null): boolean {
  const listed = (expect ?? '').split(',').map((recipient) => recipient.trim())
  // An order may name an empty recipient, which an empty entry of the list must not match.
  const recipients = listed.filter((recipient) => recipient !== '')
  const verified = verifyOrder(order, { factory: factory ?? '', recipients })
  const others = readShown(order)?.payees.filter(({ currency }) => !isEvm(currency.chain_id)) ?? []
  return (
    verified.ok &&
    (verified.address !== undefined || others.length > 0) &&
    others.every(({ recipient }) => recipient !== undefined && recipients.includes(recipient))
  )
}
