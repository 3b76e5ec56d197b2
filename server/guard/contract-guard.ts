import { canonicalIn } from '../../src/wire/addresses/canonical.ts'
import type { Guard } from '../chains/guard.ts'
import type { Sql } from '../database/connect.ts'
import { signatureFor } from './approvals.ts'
import { GuardNotYet } from './not-yet.ts'

/**
 * A merchant's own contract wallet or key, with which people sign. A move that needs their signature is written down with what their wallet
 * has to sign, and the operator hands the signature in (`guard-moves --sign`). The digest covers the deadline, so whoever asks repeats the
 * very same move while people take their time, and gives it a deadline of days.
 */
export const contractGuard = (sql: Sql, address: string): Guard => ({
  address: canonicalIn('evm', address),
  isMachine: false,
  async sign(request) {
    const signature = await signatureFor(sql, request)
    if (signature) return signature
    throw new GuardNotYet('The merchant’s guard has not signed for this move yet: guard-moves lists it.')
  },
})
