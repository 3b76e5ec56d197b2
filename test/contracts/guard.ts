import { recoverAddress } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { decodeRouterCall, encodeRouterCall, type RouterCall } from '../../server/chains/evm/exchange/router-call.ts'
import { moveDigest } from '../../server/chains/evm/move-digest.ts'
import { type Guard, GuardRefused, type GuardRequest } from '../../server/chains/guard.ts'
import { asked, conversion, merchantRequest, now, ofOrder, payer, refund, router, surplus, thief, usd } from '../guard/support.ts'

/** Each implementation provides a machine with the rules and the merchant of test/guard/support.ts. */
export interface GuardUnderTest {
  readonly guard: Guard
  stop(): Promise<void>
}

const signal = () => AbortSignal.timeout(60_000)
let orders = 0

export function guardContract(name: string, start: () => Promise<GuardUnderTest>): void {
  describe(`guard contract: ${name}`, () => {
    let subject: GuardUnderTest
    beforeAll(async () => {
      subject = await start()
    })
    afterAll(() => subject?.stop())

    /** Orders of their own keep the tests apart. */
    const ofAnotherOrder = (request: GuardRequest): GuardRequest => ofOrder(request, `ord_${++orders}_${name.length}`)
    const ask = (request: GuardRequest) => subject.guard.sign(request, signal())

    test.each<[string, GuardRequest]>([
      ['a surplus', surplus()],
      [
        'what could not be converted',
        { ...surplus({ tokenIn: null, tokenOut: null, legs: [{ to: payer, amount: 10n ** 15n }] }), reason: { kind: 'unconverted' } },
      ],
      ['a conversion', conversion()],
    ])('default: signs %s with its stated address, as the factory wants it', async (_, base) => {
      const request = ofAnotherOrder(base)
      const signature = await ask(request)
      expect(signature).toMatch(/^0x[0-9a-f]{128}1[bc]$/)
      expect((await recoverAddress({ hash: moveDigest(request), signature })).toLowerCase()).toBe(subject.guard.address)
      expect(subject.guard.isMachine).toBe(true)
    })

    test('behavior: signs the merchant’s refund', async () => {
      const request = ofAnotherOrder(surplus())
      const evidence = merchantRequest(asked, { path: `/orders/${request.terms.order_id}/refund` })
      expect(await ask({ ...request, reason: { kind: 'merchant', evidence } })).toMatch(/^0x/)
    })

    test('behavior: signs the same bytes again, at the same time as well, and with a later deadline', async () => {
      const request = ofAnotherOrder(surplus())
      const all = await Promise.all(Array.from({ length: 5 }, () => ask(request)))
      expect(new Set(all).size).toBe(1)
      expect(await ask(request)).toBe(all[0])
      const later = { ...request, move: { ...request.move, deadline: request.move.deadline + 60n } }
      expect(await ask(later)).not.toBe(all[0])
    })

    test('behavior: signs a conversion again with a later deadline, which is the router’s too, and none that goes another way', async () => {
      const request = ofAnotherOrder(conversion())
      const first = await ask(request)
      const changed = (change: Partial<RouterCall>, deadline = request.move.deadline): GuardRequest => {
        const before = request.move.conversion!
        const data = encodeRouterCall({ ...decodeRouterCall(before.data)!, deadline, ...change })
        return { ...request, move: { ...request.move, deadline, conversion: { ...before, data } } }
      }
      expect(await ask(changed({}, request.move.deadline + 60n))).not.toBe(first)
      const { route } = decodeRouterCall(request.move.conversion!.data)!
      await expect(ask(changed({ route: { ...route, fees: [3_000] } }))).rejects.toBeInstanceOf(GuardRefused)
    })

    test('error: another move with the same nonce is refused for ever', async () => {
      const request = ofAnotherOrder(surplus())
      await ask(request)
      const other = { ...request, move: { ...request.move, legs: [{ to: payer, amount: usd(8) }] } }
      for (let i = 0; i < 2; i++) await expect(ask(other)).rejects.toBeInstanceOf(GuardRefused)
      expect(await ask(request)).toMatch(/^0x/)
    })

    test.each<[string, GuardRequest]>([
      ['another guard', surplus({}, { guard: thief })],
      ['another factory', surplus({}, { factory: thief })],
      ['two receivers', surplus({ legs: [1, 2].map(() => ({ to: payer, amount: 1n })) })],
      ['a router that is not allowed', conversion({ router: thief })],
      ['a conversion far below the price', conversion({ leastOut: usd(2_000) })],
      ['a router that pays somebody else', conversion({}, {}, { recipient: thief })],
      ['a router that may give less', conversion({}, {}, { leastOut: 1n })],
      ['more than a move may be worth', surplus({ legs: [{ to: payer, amount: usd(5_001) }] })],
      ['a merchant who has not signed', refund(merchantRequest(asked, { by: 'sk_guess' }))],
      ['no merchant’s request', refund(undefined)],
    ])('error: refuses %s', async (_, request) => {
      await expect(ask(request)).rejects.toBeInstanceOf(GuardRefused)
    })

    test('error: what seems to be due in a week is not signed and not refused, since a clock may be wrong', async () => {
      const request = ofAnotherOrder(surplus({ deadline: BigInt(now / 1000 + 7 * 86_400) }))
      await expect(ask(request)).rejects.toMatchObject({ name: 'GuardNotYet' })
    })

    test('error: without a price it signs later, and does not refuse', async () => {
      const request = ofAnotherOrder(surplus({ tokenIn: router, tokenOut: router }))
      await expect(ask(request)).rejects.toMatchObject({ name: 'GuardNotYet' })
    })

    test('error: stops when the caller does', async () => {
      await expect(subject.guard.sign(ofAnotherOrder(surplus()), AbortSignal.abort())).rejects.toThrow()
    })
  })
}
