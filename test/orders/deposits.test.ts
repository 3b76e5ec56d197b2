import { expect, test } from 'vitest'
import type { Chain, DepositAsk } from '../../server/chains/chain.ts'
import type { ChainId } from '../../src/wire/chain.ts'
import { chains as facts } from '../../src/wire/chain-facts.ts'
import { reserveDeposits } from '../../server/orders/deposits.ts'
import { boundTerms } from './model/support.ts'

const reserved: string[] = []
const terms = boundTerms()
const chain = (id: ChainId) =>
  ({
    id,
    addresses: { show: (address: string) => address.toUpperCase() },
    deposits: {
      async reserve(_: unknown, { orderId }: DepositAsk) {
        reserved.push(`${orderId} on ${id}`)
        return { address: `address of ${orderId}`, ...(facts[id].family === 'evm' && { terms }) }
      },
    },
  }) as unknown as Chain
const chains = new Map(([8453, 1, 20000000000001, 30000000000001] as const).map((id) => [id, chain(id)] as const))

function askFor(first: ChainId, ...others: readonly ChainId[]): DepositAsk {
  const to = (chainId: ChainId) => ({ chainId, token: null, recipient: 'r', feeCollector: 'f', maxFeeBps: 0, maxFeeFlat: 0n })
  return { orderId: 'a', destinations: [to(first), ...others.map(to)], releaseAt: 1 }
}

test('default: one address is reserved in each family in which the order can be paid, in the form for payers', async () => {
  expect(await reserveDeposits({ chains }, undefined as never, askFor(8453, 20000000000001, 1))).toEqual({
    deposits: { evm: 'ADDRESS OF A', bitcoin: 'ADDRESS OF A' },
    depositTerms: terms,
  })
  expect(reserved).toHaveLength(2)
})

test('behavior: where no contract binds an address, there are no terms', async () => {
  expect(await reserveDeposits({ chains }, undefined as never, askFor(20000000000001))).toEqual({ deposits: { bitcoin: 'ADDRESS OF A' } })
})

test('error: an order cannot be paid on a chain that is not configured', async () => {
  await expect(reserveDeposits({ chains }, undefined as never, askFor(8453, 30000000000002))).rejects.toThrow('not configured')
})
