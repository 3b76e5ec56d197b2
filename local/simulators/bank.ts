import { randomBytes } from 'node:crypto'
import { Hono } from 'hono'
import * as z from 'zod/mini'
import { FiatCurrency } from '../../src/wire/currency.ts'
import { Decimal } from '../../src/wire/scalars.ts'
import type { BankCallback } from '../../server/providers/bank.ts'
import { postCallback } from './post-callback.ts'

type Deposit = BankCallback['deposit']

const DepositRequest = z.object({
  amount: z.prefault(Decimal, '100'),
  currency: z.prefault(FiatCurrency, 'eur'),
  outcome: z.prefault(z.enum(['COMPLETED', 'FAILED', 'PROCESSING']), 'COMPLETED'),
})

export interface BankSimulatorParts {
  readonly secret: string
  /** Maps account ids to their owners. */
  readonly accounts: ReadonlyMap<string, { readonly organizationId: string; readonly destination: Deposit['destination'] }>
  /** Returns the service's base URL, to which callbacks are posted and which is known only once the service has started. */
  readonly payUrl: () => string
  /** Really sends the tokens and returns the transaction hash. Without it nothing is sent. */
  readonly deliver?: (to: Deposit['destination'], amount: string) => Promise<string>
}

/** Implements the provider's side of docs/providers.md, and lets tests control it. */
export function bankSimulator({ secret, accounts, payUrl, deliver }: BankSimulatorParts) {
  let down = false
  const provider = new Hono()
  provider.use(async (c, next) => {
    if (down) return c.text('The bank is down.', 503)
    if (c.req.header('authorization') !== `Bearer ${secret}`) return c.text('The bearer token is missing or wrong.', 401)
    return next()
  })
  provider.get('/accounts/:id', (c) => {
    const account = accounts.get(c.req.param('id'))
    return account ? c.json({ id: c.req.param('id'), organization_id: account.organizationId }) : c.text('No such account.', 404)
  })

  /** The simulated fee is 1 % for the exchange, rounded down to the cent, and nothing else. */
  const settled = async (
    destination: Deposit['destination'],
    { amount, currency }: z.infer<typeof DepositRequest>,
  ): Promise<NonNullable<Deposit['settlement']>> => {
    const [whole = '0', fraction = ''] = amount.split('.')
    const cents = BigInt(whole + fraction.slice(0, 2).padEnd(2, '0'))
    const fee = cents / 100n
    const text = (value: bigint) => `${value / 100n}.${String(value % 100n).padStart(2, '0')}`
    const out = text(cents - fee)
    return {
      source: { currency, amount },
      destination: { ...destination, amount: out, transaction_hash: await deliver?.(destination, out) },
      fees: { exchange: text(fee), gas: '0', developer: '0' },
    }
  }

  const controls = new Hono()
  controls.post('/test/bank', async (c) => {
    const change = z.safeParse(z.object({ down: z.boolean() }), await c.req.json().catch(() => undefined))
    if (!change.success) return c.json({ error: 'Bad Request', message: 'Send {down}.', code: 400 }, 400)
    down = change.data.down
    return c.json({ ok: true })
  })
  controls.post('/test/bank/accounts/:id/deposits', async (c) => {
    const id = c.req.param('id')
    const account = accounts.get(id)
    const request = z.safeParse(DepositRequest, await c.req.json().catch(() => ({})))
    if (!account || !request.success)
      return c.json({ error: 'Bad Request', message: 'Send {amount?, currency?, outcome?} for an account that exists.', code: 400 }, 400)
    const began = new Date()
    const url = `${payUrl()}/callbacks/bank`
    const deposit: Deposit = {
      id: `dep_${randomBytes(9).toString('base64url')}`,
      account_id: id,
      status: 'PROCESSING',
      source_currency: request.data.currency,
      destination: account.destination,
      settlement: null,
      created_at: began.toISOString(),
      updated_at: began.toISOString(),
    }
    await postCallback(url, secret, { deposit })
    const { outcome } = request.data
    if (outcome !== 'PROCESSING') {
      const settlement = outcome === 'COMPLETED' ? await settled(account.destination, request.data) : null
      await postCallback(url, secret, {
        deposit: { ...deposit, status: outcome, settlement, updated_at: new Date(began.getTime() + 1).toISOString() },
      })
    }
    return c.json({ id: deposit.id }, 201)
  })
  return { provider, controls }
}
