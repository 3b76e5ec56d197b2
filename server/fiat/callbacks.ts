import { type Context, Hono } from 'hono'
import { ApiError } from '../http/api-error.ts'
import { readBody } from '../http/body.ts'
import { errorHandler } from '../http/on-error.ts'
import type { Engine } from '../orders/engine.ts'
import { record } from '../orders/record.ts'
import type { Bank } from '../providers/bank.ts'
import { callbackHeader, type CallbackResult } from '../providers/callback.ts'
import type { CardProvider } from '../providers/card.ts'
import type { Identity } from '../providers/identity.ts'
import { putDeposit } from './bank-deposits.ts'
import { updateVerification } from './verifications.ts'

export interface CallbackParts {
  readonly bank?: Bank
  readonly identity?: Identity
  readonly card?: CardProvider
  /** Counts a bad signature against the caller's IP address, and throws once that address has used up its allowance of misses. */
  readonly countMiss: (c: Context) => void
}

/** Serves callbacks from providers at {pay_url}/callbacks. They are idempotent, so a provider may retry after a 5xx response. */
export function callbacks(engine: Engine, { bank, identity, card, countMiss }: CallbackParts): Hono {
  const app = new Hono()
  app.onError(errorHandler(engine.log))
  const readCallback = async <T>(
    c: Context,
    provider: { read(header: string | undefined, body: Uint8Array, now: number): CallbackResult<T> } | undefined,
  ): Promise<T> => {
    if (!provider) throw new ApiError(404, 'There is nothing at this address.')
    const read = provider.read(c.req.header(callbackHeader), await readBody(c.req.raw), engine.clock())
    switch (read.is) {
      case 'valid':
        return read.payload
      case 'unsigned':
        countMiss(c)
        throw new ApiError(401, 'The signature is missing, malformed, expired or wrong.')
      case 'malformed':
        throw new ApiError(400, read.message)
      default:
        return read satisfies never
    }
  }
  app.post('/callbacks/bank', async (c) => {
    const { deposit } = await readCallback(c, bank)
    const account = await bank?.account(deposit.account_id)
    if (!account) throw new ApiError(404, 'There is no such bank account.')
    await putDeposit(engine.sql, account.organization_id, deposit)
    return c.body(null, 204)
  })
  app.post('/callbacks/identity', async (c) => {
    if (!(await updateVerification(engine.sql, await readCallback(c, identity)))) throw new ApiError(404, 'There is no such customer.')
    return c.body(null, 204)
  })
  app.post('/callbacks/card', async (c) => {
    const { session_id: id, reference, status, problem, at } = await readCallback(c, card)
    const known = await record(engine, reference, { type: 'card_news', id, status, problem, at: Date.parse(at) })
    if (!known) throw new ApiError(404, 'There is no such order.')
    return c.body(null, 204)
  })
  return app
}
