import type { Change, Effects, FactOf } from '../orders/engine.ts'
import type { Order } from '../orders/model/order.ts'
import { newId } from '../orders/new-order.ts'
import { organizationById } from '../organizations/organizations.ts'
import { enqueueNotice } from './mails.ts'

/**
 * Only the merchant can make a proposed address the refund address, and has to learn of it for that. Anybody with the key can make an order,
 * pay a cent to it and propose addresses, so nobody is mailed about such orders.
 */
export const proposedAddressEffects: Effects = {
  refund_address_proposed: { concerns: ({ createdBy }) => createdBy !== 'key', perform: tellMerchant },
}

async function tellMerchant(
  { tx }: Change,
  { id, organizationId, terms: { metadata } }: Order,
  { address, chainId }: FactOf<'refund_address_proposed'>,
): Promise<void> {
  if ((await organizationById(tx, organizationId)).email === undefined) return
  const { reference } = metadata
  await enqueueNotice(tx, {
    id: newId('mail'),
    organizationId,
    key: `refund_address_proposed ${id} ${chainId} ${address}`,
    notice: {
      kind: 'refund_address_proposed',
      orderId: id,
      ...(reference !== undefined && { reference }),
      address,
      chainId,
    },
  })
}
