import { randomBytes, randomInt, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { endpoints } from '../../src/wire/endpoints.ts'
import type { Caller } from '../http/access.ts'
import { ApiError, notFound } from '../http/api-error.ts'
import type { Route } from '../http/route.ts'
import type { Engine } from '../orders/engine.ts'
import { newId } from '../orders/new-order.ts'
import { challengesOfLastHour, countAttempt, insertChallenge, lockChallenge } from './challenges.ts'
import { foldEmail } from './verifications.ts'

const digits = 8
const lastsSeconds = 600
const maxAttempts = 5
const maxPerHour = 5

/** A code has only 10^8 possible values, so they are hashed with scrypt, which takes about 50 ms per guess. */
const derive = promisify<string, Buffer, number, Buffer>(scrypt)
const hashOf = (code: string, salt: Buffer): Promise<Buffer> => derive(code, salt, 32)

function requireInternal({ key }: Caller): void {
  if (!key.isInternal) throw new ApiError(403, 'Only internal credentials may do this.')
}

/** Only the trusted server that mails the code gets it from us: we neither store nor log it, and CORS keeps browsers from reading it. */
export function emailChallenge(route: Route, engine: Engine): void {
  route(endpoints.createEmailChallenge, async ({ body, caller, organizationId, tx }) => {
    requireInternal(caller)
    const now = new Date(engine.clock())
    const email = foldEmail(body.email)
    const recent = await challengesOfLastHour(tx, email, now)
    const [earliest] = recent.slice(-maxPerHour)
    if (earliest && recent.length >= maxPerHour) {
      const seconds = Math.max(1, Math.ceil((earliest.getTime() + 3_600_000 - now.getTime()) / 1000))
      throw new ApiError(429, `Too many codes were requested for this address. Try again in ${seconds} s.`, undefined, {
        'retry-after': String(seconds),
      })
    }
    const code = String(randomInt(10 ** digits)).padStart(digits, '0')
    const salt = randomBytes(16)
    const challenge = {
      id: newId('chl'),
      codeHash: await hashOf(code, salt),
      salt,
      expiresAt: new Date(now.getTime() + lastsSeconds * 1000),
    }
    await insertChallenge(tx, organizationId, email, challenge, now)
    return { body: { challenge_id: challenge.id, code, expires_in_seconds: lastsSeconds }, headers: { 'cache-control': 'no-store' } }
  })

  route(endpoints.checkEmailChallenge, async ({ body, caller, organizationId, tx }) => {
    requireInternal(caller)
    const now = new Date(engine.clock())
    const challenge = await lockChallenge(tx, organizationId, body.challenge_id)
    if (!challenge) throw notFound('email challenge')
    const isOpen = !challenge.voidedAt && challenge.expiresAt > now && challenge.attempts < maxAttempts
    if (!isOpen) return { body: { verified: false, attempts_left: 0 } }
    const verified = timingSafeEqual(await hashOf(body.code, challenge.salt), challenge.codeHash)
    await countAttempt(tx, challenge.id, verified, now)
    return { body: { verified, attempts_left: verified ? 0 : maxAttempts - challenge.attempts - 1 } }
  })
}
