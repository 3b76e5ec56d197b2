import { describe, expect, test } from 'vitest'
import type { AddressCodec } from '../../src/wire/addresses/codec.ts'

export interface DepositsUnderTest {
  readonly addresses: AddressCodec
  /** Reserves on each of the family's chains, in a transaction if the family needs one. */
  readonly reserve: readonly ((orderId: string) => Promise<string>)[]
}

/** What the service relies on for the deposit addresses of any family. */
export function depositsContract(name: string, start: () => DepositsUnderTest): void {
  describe(`deposits contract: ${name}`, () => {
    test('default: an order gets one address, on every chain of the family and however often it is asked for', async () => {
      const { reserve } = start()
      const reserved = await Promise.all([...reserve, ...reserve].map((on) => on('a')))
      expect(reserved.length).toBeGreaterThan(2)
      expect(new Set(reserved).size).toBe(1)
    })

    test('behavior: no two orders share an address', async () => {
      const [on] = start().reserve
      const ids = ['a', 'A', 'ab', 'ord_9f', 'ü', ...Array.from({ length: 200 }, (_, index) => `ord_${index}`)]
      const reserved = await Promise.all(ids.map((id) => on!(id)))
      expect(new Set(reserved).size).toBe(ids.length)
    })

    test('behavior: an address is canonical, and the form that payers copy is the same address', async () => {
      const { addresses, reserve } = start()
      const address = await reserve[0]!('a')
      expect(addresses.parse(address)).toEqual({ address })
      expect(addresses.parse(addresses.show(address))).toEqual({ address })
      expect(address).not.toBe(addresses.nobody)
    })
  })
}
