import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { signCallback } from '../../server/providers/callback.ts'
import type { CardAnswer, CardRequest, CardProvider, CardCallback, CardSession } from '../../server/providers/card.ts'
import { type CardProblem, cardProblems } from '../../server/orders/model/card.ts'
import { parseUnits } from '../../src/wire/money.ts'
import { until } from '../support/wait.ts'

/** Each implementation provides its provider in test mode, and the callbacks that it sends. */
export interface CardUnderTest {
  readonly desk: CardProvider
  readonly secret: string
  readonly ask: CardRequest
  /** The raw callbacks in order of arrival. */
  readonly callbacks: readonly { readonly header: string | undefined; readonly body: Uint8Array }[]
  /** Performs the payer's action on the provider's page. */
  act(session: CardSession, deed: 'approve' | 'decline' | 'identity' | 'abandon' | 'slow'): Promise<void>
  refuse(problem: CardProblem | undefined): Promise<void>
  away(isAway: boolean): Promise<void>
  delivered(): Promise<bigint>
  stop(): Promise<void>
}

export function cardContract(name: string, start: () => Promise<CardUnderTest>): void {
  describe(`card contract: ${name}`, () => {
    let subject: CardUnderTest
    beforeAll(async () => {
      subject = await start()
    })
    afterAll(() => subject?.stop())
    afterEach(async () => {
      await subject.refuse(undefined)
      await subject.away(false)
    })

    const opened = async (): Promise<CardSession> => {
      const answer: CardAnswer = await subject.desk.open(subject.ask)
      if ('refused' in answer) throw new Error(answer.refused)
      return answer.session
    }
    const updates = (session: CardSession): CardCallback[] =>
      subject.callbacks.flatMap(({ header, body }) => {
        const parsed = subject.desk.read(header, body, Date.now())
        return parsed.is === 'valid' && parsed.payload.session_id === session.id ? [parsed.payload] : []
      })
    const untilStatus = (session: CardSession, status: string) =>
      until(() => updates(session).some((update) => update.status === status), { what: status })

    test('default: each session has its own page and a price with all costs; once paid, the tokens are delivered', async () => {
      const session = await opened()
      expect(session.status).toBe('initialized')
      expect(new URL(session.hosted_url).protocol).toMatch(/^https?:$/)
      expect(session.total).toMatch(/^\d+\.?\d{0,2}$/)
      expect(parseUnits(session.total, subject.ask.deliver.decimals)).toBeGreaterThan(BigInt(subject.ask.deliver.amount))
      const before = await subject.delivered()
      await subject.act(session, 'approve')
      await untilStatus(session, 'fulfillment_complete')
      expect((await subject.delivered()) - before).toBe(BigInt(subject.ask.deliver.amount))
      const all = updates(session)
      expect(all.map(({ status }) => status)).toEqual(['fulfillment_processing', 'fulfillment_complete'])
      expect(all.every(({ reference }) => reference === subject.ask.reference)).toBe(true)
      const times = [session.at, ...all.map(({ at }) => at)].map((at) => Date.parse(at))
      expect(times).toEqual([...new Set(times)].sort((a, b) => a - b))
    })

    test('behavior: each call makes another session', async () => {
      expect((await opened()).id).not.toBe((await opened()).id)
    })

    test('behavior: identity may be required, a declined payer may retry, and an abandoned session expires', async () => {
      const session = await opened()
      const before = await subject.delivered()
      await subject.act(session, 'identity')
      await untilStatus(session, 'requires_identity')
      await subject.act(session, 'decline')
      await untilStatus(session, 'requires_payment')
      await subject.act(session, 'abandon')
      await untilStatus(session, 'expired')
      expect(updates(session).map(({ problem }) => problem)).toEqual([undefined, 'payment_method', 'session'])
      expect(await subject.delivered()).toBe(before)
    })

    test.each(cardProblems)('behavior: a refusal because of %s is returned', async (problem) => {
      await subject.refuse(problem)
      expect(await subject.desk.open(subject.ask)).toEqual({ refused: problem })
    })

    test('error: an unreachable provider is unavailable', async () => {
      await subject.away(true)
      await expect(subject.desk.open(subject.ask)).rejects.toMatchObject({ code: 'provider_unavailable' })
    })

    test('error: an unsigned, late or meaningless callback is refused', () => {
      const bytes = (body: unknown) => new TextEncoder().encode(JSON.stringify(body))
      const good = bytes({ session_id: 's', reference: 'o', status: 'rejected', at: new Date().toISOString() })
      const now = Date.now()
      const read = (header: string | undefined, body: Uint8Array) => subject.desk.read(header, body, now).is
      expect(read(signCallback(subject.secret, good, now), good)).toBe('valid')
      expect(read(undefined, good)).toBe('unsigned')
      expect(read(signCallback('another', good, now), good)).toBe('unsigned')
      expect(read(signCallback(subject.secret, good, now - 301_000), good)).toBe('unsigned')
      expect(read(signCallback(subject.secret, good, now), bytes({ session_id: 'x' }))).toBe('unsigned')
      const odd = bytes({ session_id: 's', reference: 'o', status: 'perhaps', at: new Date().toISOString() })
      expect(read(signCallback(subject.secret, odd, now), odd)).toBe('malformed')
    })
  })
}
