import { createHash, timingSafeEqual } from 'node:crypto'
import type { Logger } from 'pino'
import * as z from 'zod/mini'
import { type Guard, GuardRefused, type GuardRequest } from '../chains/guard.ts'
import { ApiError } from '../http/api-error.ts'
import { parseJson, readBody } from '../http/body.ts'
import type { Fetch } from '../http/listen.ts'
import { GuardNotYet } from './not-yet.ts'
import { requestOf, SignCall, type SignError } from './sign-call.ts'

export interface GuardServerParts {
  readonly guard: Guard
  /** Whoever has it may ask. What is signed is the guard's own decision. */
  readonly token: string
  readonly log: Logger
}

const signWithinMs = 8_000

/** `POST /sign` and `GET /health`: the whole of a guard's process, which keeps a service that was taken over from the guard's key. */
export function guardServer({ guard, token, log }: GuardServerParts): Fetch {
  const rightToken = digestOf(`Bearer ${token}`)
  return async (request, { incoming }) => {
    const { pathname } = new URL(request.url)
    if (pathname === '/health' && request.method === 'GET') return Response.json({ status: 'ok', address: guard.address })
    if (pathname !== '/sign') return failure(404, 'invalid', 'There is nothing at this address.')
    if (request.method !== 'POST') return failure(405, 'invalid', 'This address takes POST.')
    if (!timingSafeEqual(digestOf(request.headers.get('authorization') ?? ''), rightToken))
      return failure(401, 'unauthorized', 'The token is missing or wrong.')
    let asked: GuardRequest | undefined
    try {
      const body = z.safeParse(SignCall, parseJson(await readBody(request, incoming), request.headers.get('content-type')))
      if (!body.success) return failure(400, 'invalid', z.prettifyError(body.error))
      asked = requestOf(body.data)
      const signature = await guard.sign(asked, AbortSignal.timeout(signWithinMs))
      log.info(aboutOf(asked), 'signed a move')
      return Response.json({ signature })
    } catch (error) {
      const about = asked && aboutOf(asked)
      if (error instanceof ApiError) return failure(error.status, 'invalid', error.message)
      if (error instanceof GuardRefused) {
        log.warn({ ...about, reason: error.message }, 'refused a move')
        return failure(422, 'refused', error.message)
      }
      if (error instanceof GuardNotYet) {
        log.warn({ ...about, reason: error.message }, 'cannot sign a move now; whoever asked will ask again')
        return failure(503, 'not_yet', error.message)
      }
      log.error({ ...about, err: error }, 'cannot sign a move; whoever asked will ask again')
      return failure(500, 'failed', 'The guard could not sign. Its log says why.')
    }
  }
}

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest()

/** Payers' addresses stay out of the log. */
const aboutOf = ({ chainId, terms, move, reason }: GuardRequest) => ({
  order: terms.order_id,
  chain: chainId,
  kind: reason.kind,
  nonce: move.nonce.toString(),
})

const failure = (status: number, code: SignError['code'], message: string): Response =>
  Response.json({ code, message } satisfies SignError, { status })
