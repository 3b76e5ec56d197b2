import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Chain } from '../../server/chains/chain.ts'

/** What an implementation lends the suite: a chain that mines at each payment, and somebody with money. */
export interface ChainUnderTest {
  readonly chain: Chain
  /** A token that the chain is configured with. */
  readonly token: string
  readonly payer: string
  pay(token: string | null, to: string, amount: bigint): Promise<string>
  /** Included, but without effect. */
  payInVain(to: string, amount: bigint): Promise<string>
  mine(blocks: number): Promise<void>
  reorg(depth: number): Promise<void>
  stop(): Promise<void>
}

/** What the service relies on, of whatever chain. */
export function chainContract(name: string, start: () => Promise<ChainUnderTest>): void {
  describe(`chain contract: ${name}`, () => {
    let test: ChainUnderTest
    let chain: Chain
    const signal = new AbortController().signal
    let orders = 0
    const freshAddress = () => chain.depositAddress(`contract-${orders++}`)
    const headNumber = async () => (await chain.head(signal)).number

    beforeAll(async () => {
      test = await start()
      chain = test.chain
    })
    afterAll(() => test?.stop())

    it('gives each order one address, always the same', () => {
      expect(chain.depositAddress('a')).toBe(chain.depositAddress('a'))
      expect(chain.depositAddress('a')).not.toBe(chain.depositAddress('b'))
    })

    it('reads the head, blocks in a row, and nothing past the head', async () => {
      await test.mine(2)
      const head = await chain.head(signal)
      expect(await chain.block(head.number, signal)).toEqual(head)
      expect((await chain.block(head.number - 1, signal))?.hash).toBe(head.parentHash)
      expect(await chain.block(head.number + 1000, signal)).toBeUndefined()
    })

    it('finds a token payment and a native one in a range, with its blocks', async () => {
      const to = freshAddress()
      const from = (await headNumber()) + 1
      const first = await test.pay(test.token, to, 5n)
      const second = await test.pay(null, to, 7n)
      const scan = await chain.scan(from, await headNumber(), signal)
      expect(scan.blocks.map((block) => block.number)).toEqual([from, from + 1])
      const [inFirst, inSecond] = scan.blocks
      expect(scan.transfers.filter((transfer) => transfer.to === to)).toEqual([
        {
          chainId: chain.id,
          txHash: first,
          logIndex: expect.any(Number),
          token: test.token,
          from: test.payer,
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
          from: test.payer,
          to,
          amount: 7n,
          block: from + 1,
          blockHash: inSecond!.hash,
          timestamp: inSecond!.timestamp,
        },
      ])
    })

    it('asks who is watched, and reads only that', async () => {
      const [ours, other] = [freshAddress(), freshAddress()]
      const from = (await headNumber()) + 1
      for (const to of [ours, other]) for (const token of [test.token, null]) await test.pay(token, to, 3n)
      const asked: string[] = []
      const scan = await chain.scan(from, await headNumber(), signal, async (addresses) => {
        asked.push(...addresses)
        return new Set([ours])
      })
      expect(asked).toEqual(expect.arrayContaining([ours, other]))
      expect(new Set(asked).size).toBe(asked.length)
      expect(scan.transfers.map(({ to }) => to)).toEqual([ours, ours])
    })

    it('says what one address has of every token, the native coin too', async () => {
      const to = freshAddress()
      await test.pay(test.token, to, 13n)
      await test.pay(null, to, 17n)
      const held = await chain.holdings(to, signal)
      expect(held.map(({ token }) => token.address).sort()).toEqual(chain.tokens.map(({ address }) => address).sort())
      const rich = held.filter(({ amount }) => amount > 0n).map(({ token, amount }) => [token.address, amount])
      expect(new Map(rich as [string | null, bigint][])).toEqual(
        new Map<string | null, bigint>([
          [test.token, 13n],
          [null, 17n],
        ]),
      )
    })

    it('does not take a failed payment for money', async () => {
      const to = freshAddress()
      const from = (await headNumber()) + 1
      const hash = await test.payInVain(to, 9n)
      expect((await chain.scan(from, await headNumber(), signal)).transfers).toEqual([])
      expect((await chain.transaction(hash, signal))?.transfers).toEqual([])
    })

    it('reads one transaction as the range does', async () => {
      for (const token of [test.token, null]) {
        const from = (await headNumber()) + 1
        const hash = await test.pay(token, freshAddress(), 11n)
        expect(await chain.transaction(hash, signal)).toEqual(await chain.scan(from, from, signal))
      }
    })

    it('knows nothing of a transaction that is not there', async () => {
      expect(await chain.transaction(`0x${'ab'.repeat(32)}`, signal)).toBeUndefined()
    })

    it('reads balances as they were at a block', async () => {
      const [rich, poor] = [freshAddress(), freshAddress()]
      const before = await headNumber()
      await test.pay(test.token, rich, 20n)
      await test.pay(null, rich, 30n)
      const after = await headNumber()
      expect(await chain.balances([rich, poor], test.token, after, signal)).toEqual([20n, 0n])
      expect(await chain.balances([rich, poor], null, after, signal)).toEqual([30n, 0n])
      expect(await chain.balances([rich], test.token, before, signal)).toEqual([0n])
      expect(await chain.balances([], null, after, signal)).toEqual([])
    })

    it('reads more balances than fit into one call', async () => {
      const to = freshAddress()
      await test.pay(test.token, to, 1n)
      const many = Array.from({ length: 700 }, () => freshAddress())
      const found = await chain.balances([...many, to], test.token, await headNumber(), signal)
      expect(found).toHaveLength(701)
      expect(found.at(-1)).toBe(1n)
    })

    it('knows what gas costs', async () => {
      expect(await chain.gasPrice(signal)).toBeGreaterThan(0n)
    })

    it('shows a reorganisation by other hashes, and the payment gone', async () => {
      const to = freshAddress()
      const hash = await test.pay(test.token, to, 13n)
      const before = await chain.head(signal)
      await test.reorg(1)
      expect((await chain.block(before.number, signal))?.hash).not.toBe(before.hash)
      expect(await chain.transaction(hash, signal)).toBeUndefined()
      expect((await chain.scan(before.number, before.number, signal)).transfers).toEqual([])
    })

    it('error: rejects a range beyond the head', async () => {
      const head = await headNumber()
      await expect(chain.scan(head, head + 5, signal)).rejects.toMatchObject({ name: 'ChainUnavailable' })
    })

    it('stops when told', async () => {
      await expect(chain.head(AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough')
    })
  })
}
