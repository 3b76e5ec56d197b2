import fc from 'fast-check'
import { zeroAddress } from 'viem'
import { codecs } from '../../src/wire/addresses/codecs.ts'
import type { OrderTerms, TermsSettlement } from '../../src/wire/terms/order-terms.ts'

const { show } = codecs.evm.addressesOn('main')
const address = fc.bigInt({ min: 2n ** 32n, max: 2n ** 160n - 1n }).map((value) => show(`0x${value.toString(16).padStart(40, '0')}`))
const chainIds = [1, 10, 56, 137, 8453, 42161, 11155111] as const

const settlement = fc.record({
  chain_id: fc.constantFrom(...chainIds),
  token: fc.option(address, { freq: 3 }),
  recipient: address,
  fee_collector: address,
  max_fee_bps: fc.integer({ min: 0, max: 10_000 }),
  max_fee_flat: fc.oneof(fc.bigInt({ min: 0n, max: 10n ** 12n }), fc.bigInt({ min: 0n, max: 2n ** 256n - 1n })).map(String),
})

/** Random terms as our service would write them: sorted, each token once on its chain, one first settlement for each chain. */
export const randomTerms = ({
  factory,
  chainId,
}: { factory?: string; chainId?: (typeof chainIds)[number] } = {}): fc.Arbitrary<OrderTerms> =>
  fc.record({
    version: fc.constant(1 as const),
    order_id: fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }).filter((id) => id.isWellFormed()),
    factory: factory === undefined ? address : fc.constant(factory),
    settlements: fc
      .tuple(settlement, fc.array(settlement, { maxLength: 15 }))
      .map(([first, others]) => arranged([{ ...first, chain_id: chainId ?? first.chain_id }, ...others])),
    default_recipient: address,
    guard: fc.oneof(address, fc.constant(zeroAddress)),
    release_at: fc.integer({ min: 0, max: 2 ** 40 }),
  })

function arranged(all: readonly Omit<TermsSettlement, 'first_of_chain'>[]): TermsSettlement[] {
  const key = ({ chain_id, token }: (typeof all)[number]) => `${chain_id}`.padStart(8, '0') + (token ?? '').toLowerCase()
  const unique = [...new Map(all.map((each) => [key(each), each])).values()]
  const firsts = new Map(unique.toReversed().map((each) => [each.chain_id, each]))
  return unique
    .map((each) => ({ ...each, first_of_chain: firsts.get(each.chain_id) === each }))
    .toSorted((a, b) => (key(a) < key(b) ? -1 : 1))
}
