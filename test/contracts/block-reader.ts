import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { EvmChain } from '../../server/chains/evm/create-evm-chain.ts'

/** Each implementation provides a chain that mines at each payment, and funded accounts. */
export interface BlockReaderUnderTest {
  readonly chain: EvmChain
  /** A configured token. */
  readonly token: string
  readonly payer: string
  freshAddress(): string
  pay(token: string | null, to: string, amount: bigint): Promise<string>
  /** Makes a payment that is mined but reverts. */
  payInVain(to: string, amount: bigint): Promise<string>
  mine(blocks: number): Promise<void>
  reorg(depth: number): Promise<void>
  stop(): Promise<void>
}

/** The behaviour that the feed of a chain of blocks relies on. */
export function blockReaderContract(name: string, start: () => Promise<BlockReaderUnderTest>): void {
  describe(`block reader contract: ${name}`, () => {
    let subject: BlockReaderUnderTest
    let chain: EvmChain
    const signal = new AbortController().signal
    const freshAddress = () => subject.freshAddress()
    const headNumber = async () => (await chain.head(signal)).number

    beforeAll(async () => {
      subject = await start()
      chain = subject.chain
    })
    afterAll(() => subject?.stop())

    test('behavior: reads the head and blocks in a row, and nothing beyond the head', async () => {
      await subject.mine(2)
      const head = await chain.head(signal)
      expect(await chain.block(head.number, signal)).toEqual(head)
      expect((await chain.block(head.number - 1, signal))?.hash).toBe(head.parentHash)
      expect(await chain.block(head.number + 1000, signal)).toBeUndefined()
    })

    test('behavior: finds a token payment and a native one in a range, with their blocks', async () => {
      const to = freshAddress()
      const from = (await headNumber()) + 1
      const first = await subject.pay(subject.token, to, 5n)
      const second = await subject.pay(null, to, 7n)
      const scan = await chain.scan(from, await headNumber(), signal)
      expect(scan.blocks.map((block) => block.number)).toEqual([from, from + 1])
      const [inFirst, inSecond] = scan.blocks
      expect(scan.transfers.filter((transfer) => transfer.to === to)).toEqual([
        {
          chainId: chain.id,
          txHash: first,
          logIndex: expect.any(Number),
          token: subject.token,
          from: subject.payer,
          to,
          amount: 5n,
          block: from,
          blockHash: inFirst!.hash,
          timestamp: inFirst!.timestamp,
        },
        {
          chainId: chain.id,
          txHash: second,
          logIndex: -1,
          token: null,
          from: subject.payer,
          to,
          amount: 7n,
          block: from + 1,
          blockHash: inSecond!.hash,
          timestamp: inSecond!.timestamp,
        },
      ])
    })

    test('behavior: asks for the watched addresses and reads only those', async () => {
      const [ours, other] = [freshAddress(), freshAddress()]
      const from = (await headNumber()) + 1
      for (const to of [ours, other]) for (const token of [subject.token, null]) await subject.pay(token, to, 3n)
      const addressesRead: string[] = []
      const scan = await chain.scan(from, await headNumber(), signal, async (addresses) => {
        addressesRead.push(...addresses)
        return new Set([ours])
      })
      expect(addressesRead).toEqual(expect.arrayContaining([ours, other]))
      expect(new Set(addressesRead).size).toBe(addressesRead.length)
      expect(scan.transfers.map(({ to }) => to)).toEqual([ours, ours])
    })

    test('behavior: reads one address’s balance of every token and of the native coin', async () => {
      const to = freshAddress()
      await subject.pay(subject.token, to, 13n)
      await subject.pay(null, to, 17n)
      const held = await chain.holdings(to, signal)
      expect(held.map(({ token }) => token.address).sort()).toEqual(chain.tokens.map(({ address }) => address).sort())
      const rich = held.filter(({ amount }) => amount > 0n).map(({ token, amount }) => [token.address, amount])
      expect(new Map(rich as [string | null, bigint][])).toEqual(
        new Map<string | null, bigint>([
          [subject.token, 13n],
          [null, 17n],
        ]),
      )
    })

    test('error: does not count a failed payment', async () => {
      const to = freshAddress()
      const from = (await headNumber()) + 1
      const hash = await subject.payInVain(to, 9n)
      expect((await chain.scan(from, await headNumber(), signal)).transfers).toEqual([])
      expect((await chain.transaction(hash, signal))?.transfers).toEqual([])
    })

    test('behavior: reads one transaction as the range scan does', async () => {
      for (const token of [subject.token, null]) {
        const from = (await headNumber()) + 1
        const hash = await subject.pay(token, freshAddress(), 11n)
        expect(await chain.transaction(hash, signal)).toEqual(await chain.scan(from, from, signal))
      }
    })

    test('behavior: finds nothing for an unknown transaction', async () => {
      expect(await chain.transaction(`0x${'ab'.repeat(32)}`, signal)).toBeUndefined()
    })

    test('behavior: reads balances as they were at a block', async () => {
      const [rich, poor] = [freshAddress(), freshAddress()]
      const before = await headNumber()
      await subject.pay(subject.token, rich, 20n)
      await subject.pay(null, rich, 30n)
      const after = await headNumber()
      expect(await chain.balances([rich, poor], subject.token, after, signal)).toEqual([20n, 0n])
      expect(await chain.balances([rich, poor], null, after, signal)).toEqual([30n, 0n])
      expect(await chain.balances([rich], subject.token, before, signal)).toEqual([0n])
      expect(await chain.balances([], null, after, signal)).toEqual([])
    })

    test('behavior: reads more balances than fit into one call', async () => {
      const to = freshAddress()
      await subject.pay(subject.token, to, 1n)
      const many = Array.from({ length: 700 }, () => freshAddress())
      const found = await chain.balances([...many, to], subject.token, await headNumber(), signal)
      expect(found).toHaveLength(701)
      expect(found.at(-1)).toBe(1n)
    })

    test('behavior: knows the gas price', async () => {
      expect(await chain.feeRate(signal)).toBeGreaterThan(0n)
    })

    test('behavior: shows a reorganisation by other block hashes, and drops the payment', async () => {
      const to = freshAddress()
      const hash = await subject.pay(subject.token, to, 13n)
      const before = await chain.head(signal)
      await subject.reorg(1)
      expect((await chain.block(before.number, signal))?.hash).not.toBe(before.hash)
      expect(await chain.transaction(hash, signal)).toBeUndefined()
      expect((await chain.scan(before.number, before.number, signal)).transfers).toEqual([])
    })

    test('error: rejects a range beyond the head', async () => {
      const head = await headNumber()
      await expect(chain.scan(head, head + 5, signal)).rejects.toMatchObject({ name: 'ChainUnavailable' })
    })

    test('behavior: stops when its signal aborts', async () => {
      await expect(chain.head(AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough')
    })
  })
}
