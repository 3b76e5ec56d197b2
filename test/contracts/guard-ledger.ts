import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import type { GuardLedger } from '../../server/guard/ledger.ts'
import { entry, now, usd } from '../guard/support.ts'

export interface GuardLedgerUnderTest {
  /** Opens an empty ledger. */
  create(): Promise<GuardLedger>
  /** Opens the last one again, as after a restart. */
  reopen(): Promise<GuardLedger>
  stop(): Promise<void>
}

const limits = { perHour: usd(100), perHourInAll: usd(150) }

export function guardLedgerContract(name: string, subject: GuardLedgerUnderTest): void {
  describe(`guard ledger contract: ${name}`, () => {
    let ledger: GuardLedger
    beforeEach(async () => {
      ledger = await subject.create()
    })
    afterAll(() => subject.stop())

    test('default: an entry is recorded and found', async () => {
      expect(await ledger.find(entry())).toBeUndefined()
      expect(await ledger.claim(entry(), limits)).toBe('recorded')
      expect(await ledger.find(entry())).toBe(entry().move)
    })

    test('behavior: the same move is known and counts once', async () => {
      for (const claim of ['recorded', ...Array.from({ length: 20 }, () => 'known')])
        expect(await ledger.claim(entry(), limits)).toBe(claim)
      expect(await ledger.claim(entry({ nonce: 2n, atRisk: usd(90) }), limits)).toBe('recorded')
    })

    test('behavior: a nonce stands for one move, for each terms and chain, however large it is', async () => {
      const nonce = 2n ** 256n - 1n
      expect(await ledger.claim(entry({ nonce }), limits)).toBe('recorded')
      expect(await ledger.claim(entry({ nonce, move: `0x${'02'.repeat(32)}` }), limits)).toBe('another_move')
      expect(await ledger.claim(entry({ nonce, chainId: 1 }), limits)).toBe('recorded')
      expect(await ledger.claim(entry({ nonce, terms: 'ab' }), limits)).toBe('recorded')
    })

    test('behavior: a merchant’s request approves one move', async () => {
      expect(await ledger.claim(entry({ evidence: 'e1' }), limits)).toBe('recorded')
      expect(await ledger.claim(entry({ evidence: 'e1' }), limits)).toBe('known')
      expect(await ledger.claim(entry({ evidence: 'e1', nonce: 2n }), limits)).toBe('evidence_used')
      expect(await ledger.claim(entry({ evidence: 'e2', nonce: 2n }), limits)).toBe('recorded')
    })

    test('behavior: limits are for one organisation, for all, and for an hour', async () => {
      const claim = (nonce: bigint, organization: string, dollars: number, at = now) =>
        ledger.claim(entry({ nonce, organization, atRisk: usd(dollars), at }), limits)
      expect(await claim(1n, 'org_1', 100)).toBe('recorded')
      expect(await claim(2n, 'org_1', 1)).toBe('over_the_limit')
      expect(await claim(2n, 'org_2', 50)).toBe('recorded')
      expect(await claim(3n, 'org_3', 1)).toBe('over_the_limit')
      expect(await claim(3n, 'org_3', 1, now + 3_599_999)).toBe('over_the_limit')
      expect(await claim(3n, 'org_1', 100, now + 3_600_000)).toBe('recorded')
    })

    test('behavior: budgets do not use up each other’s limits, and a limit that is absent is none', async () => {
      expect(await ledger.claim(entry({ atRisk: usd(100) }), limits)).toBe('recorded')
      expect(await ledger.claim(entry({ nonce: 2n, budget: 'conversion', atRisk: usd(100) }), limits)).toBe('recorded')
      expect(await ledger.claim(entry({ nonce: 3n, atRisk: usd(1) }), limits)).toBe('over_the_limit')
      expect(await ledger.claim(entry({ nonce: 3n, atRisk: usd(1) }), { perHourInAll: usd(150) })).toBe('recorded')
      expect(await ledger.claim(entry({ nonce: 4n, budget: 'merchant', atRisk: usd(1_000_000) }), {})).toBe('recorded')
    })

    test('behavior: of claims at the same time no more are recorded than the limit allows', async () => {
      const claims = await Promise.all(
        Array.from({ length: 30 }, (_, i) => ledger.claim(entry({ nonce: BigInt(i), atRisk: usd(10) }), limits)),
      )
      expect(claims.filter((claim) => claim === 'recorded')).toHaveLength(10)
      expect(claims.filter((claim) => claim === 'over_the_limit')).toHaveLength(20)
    })

    test('behavior: everything holds after a restart', async () => {
      await ledger.claim(entry({ evidence: 'e1', atRisk: usd(60) }), limits)
      const again = await subject.reopen()
      expect(await again.find(entry())).toBe(entry().move)
      expect(await again.claim(entry({ nonce: 2n, evidence: 'e1' }), limits)).toBe('evidence_used')
      expect(await again.claim(entry({ nonce: 2n, atRisk: usd(41) }), limits)).toBe('over_the_limit')
      expect(await again.claim(entry({ nonce: 2n, atRisk: usd(40) }), limits)).toBe('recorded')
    })
  })
}
