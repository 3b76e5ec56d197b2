import fc from 'fast-check'
import { depositOf } from '../../../server/chains/evm/deposits.ts'
import type { ChainId } from '../../../src/wire/chain.ts'
import { nativeAddress } from '../../../src/wire/chain-facts.ts'
import { lowerCase } from '../../../src/wire/terms/read-terms.ts'

/** Orders with terms as the API writes them, as far as they say where money goes. */

const evmChains = [1, 10, 137, 8453, 42161] as const satisfies readonly ChainId[]
const bitcoin = 20000000000001
/** Without bias no two addresses are the same, as in reality. */
export const evmAddress = fc
  .noBias(fc.uint8Array({ minLength: 20, maxLength: 20 }))
  .map((bytes) => `0x${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`)
  .filter((address) => address !== nativeAddress)

const currency = (chain_id: number, token: string | null) => ({ chain_id, address: token ?? nativeAddress, decimals: 6, symbol: 'USDC' })
const amount = { raw: '42500000', ui: '42.5', value_usd: 42.5 }

const destination = fc.record({
  chainId: fc.constantFrom(...evmChains),
  token: fc.option(evmAddress, { freq: 4 }),
  recipient: evmAddress,
  feeCollector: evmAddress,
  maxFeeBps: fc.integer({ min: 0, max: 10_000 }),
  maxFeeFlat: fc.bigInt({ min: 0n, max: (1n << 256n) - 1n }),
})

export const termedOrder = fc
  .record({
    id: fc.string({ unit: fc.constantFrom(...'abcXYZ019_-'), minLength: 1, maxLength: 40 }),
    factory: evmAddress,
    destinations: fc.uniqueArray(destination, {
      minLength: 1,
      maxLength: 16,
      selector: ({ chainId, token }) => `${chainId} ${token}`,
    }),
    guard: fc.option(evmAddress, { nil: undefined }),
    releaseAt: fc.integer({ min: 0, max: 2 ** 40 }),
    /** The place of the settlement that is paid, and the token that is converted into it, if any. */
    paid: fc.nat(),
    converted: fc.option(evmAddress),
    isInstructed: fc.boolean(),
    isCard: fc.boolean(),
    takesBitcoin: fc.boolean(),
  })
  .map(({ id, factory, destinations, guard, releaseAt, paid, converted, isInstructed, isCard, takesBitcoin }) => {
    const [first, ...rest] = destinations as [(typeof destinations)[number], ...typeof destinations]
    const { address, terms } = depositOf(factory, { orderId: id, destinations: [first, ...rest], guard, releaseAt })
    const used = destinations[paid % destinations.length]!
    const isSettlement = destinations.some(({ chainId, token }) => chainId === used.chainId && token === converted)
    const output = currency(used.chainId, used.token)
    const input = converted && !isSettlement ? currency(used.chainId, converted) : output
    const settlements = destinations.map(({ chainId, token, recipient }) => ({
      chain_id: chainId,
      currency: currency(chainId, token),
      recipient,
      amount,
    }))
    const inBitcoin = { chain_id: bitcoin, currency: currency(bitcoin, null), recipient: 'bc1qrecipient', amount }
    const all = takesBitcoin ? [...settlements, inBitcoin] : settlements
    const step = isCard
      ? {
          rail: 'FIAT',
          kind: 'stripe_onramp',
          action: 'open',
          data: { session_id: 's', hosted_url: 'https://card.example', status: 'new' },
        }
      : { rail: 'CRYPTO', kind: 'deposit', action: 'send', data: { deposit_address: address, currency: input, amount: '42500000' } }
    return {
      order: {
        id,
        status: 'AWAITING_PAYMENT',
        fulfillment: { amount, asset: output, recipient: used.recipient },
        ...(all.length > 1 ? { settlements: all } : {}),
        ...(isInstructed
          ? {
              payment: {
                payment_rail: isCard ? 'FIAT' : 'CRYPTO',
                recipient: used.recipient,
                input: { amount, currency: input },
                output: { amount, currency: output },
                steps: [step],
              },
            }
          : {}),
        terms,
      },
      address,
      factory,
      recipients: destinations.map(({ recipient }) => lowerCase(recipient)),
    }
  })

/** Returns the path of every value that says where money goes or is one of the terms. */
export function pathsToMoney(order: object): (readonly (string | number)[])[] {
  const isMoney = (path: readonly (string | number)[]) =>
    path[0] === 'terms' || ['chain_id', 'address', 'recipient', 'deposit_address'].includes(String(path.at(-1)))
  const walk = (value: unknown, path: readonly (string | number)[]): (readonly (string | number)[])[] =>
    typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([name, inner]) => walk(inner, [...path, Array.isArray(value) ? Number(name) : name]))
      : isMoney(path)
        ? [path]
        : []
  return walk(order, [])
}

export function changedAt(order: object, path: readonly (string | number)[], change: (value: unknown) => unknown): object {
  // Unlike a structured clone, this shares nothing between members.
  const copy = JSON.parse(JSON.stringify(order)) as Record<string | number, unknown>
  let parent = copy
  for (const name of path.slice(0, -1)) parent = parent[name] as Record<string | number, unknown>
  const last = path.at(-1)!
  parent[last] = change(parent[last])
  return copy
}
