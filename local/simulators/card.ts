import { randomBytes } from 'node:crypto'
import { Hono } from 'hono'
import * as z from 'zod/mini'
import { formatUnits } from '../../src/wire/money.ts'
import { escapeHtml } from '../../server/lib/escape-html.ts'
import { type CardProblem, cardProblems, type CardStatus } from '../../server/orders/model/card.ts'
import { ceilOf, converted, ratioOf } from '../../server/orders/model/rate.ts'
import type { CardAnswer, CardCallback, CardFee, CardRequest } from '../../server/providers/card.ts'
import { postCallback } from './post-callback.ts'

const Ask = z.object({
  reference: z.string(),
  fiat: z.enum(['usd', 'eur']),
  deliver: z.object({
    chain_id: z.int(),
    token: z.nullable(z.string()),
    symbol: z.string(),
    decimals: z.int(),
    amount: z.string().check(z.regex(/^\d{1,70}$/)),
    address: z.string(),
  }),
  return_url: z.string(),
})

interface Session {
  readonly id: string
  readonly ask: CardRequest
  readonly total: string
  status: CardStatus
  at: number
  hash?: string
}

export interface CardSimulatorParts {
  readonly secret: string
  /** Returns the URL of the provider's own page, which is on another origin than the service. */
  readonly at: () => string
  readonly payUrl: () => string
  /** Returns the price of a token or a fiat unit in US dollars. */
  readonly usdOf: (id: string) => Promise<string>
  readonly deliver: (to: CardRequest['deliver']) => Promise<string>
  readonly slowMs?: number
}

/** The page has a button for each of these, in this order. */
const actions = ['approve', 'slow', 'decline', 'identity', 'identity_failed', 'checkout_failed', 'abandon'] as const
type Action = (typeof actions)[number]
const Action = z.enum(actions)
const labels: Record<Action, string> = {
  approve: 'Pay',
  slow: 'Pay, and let it take a while',
  decline: 'Decline the card',
  identity: 'Ask who the payer is',
  identity_failed: 'Find that the payer is somebody else',
  checkout_failed: 'Fail in the middle',
  abandon: 'Let the session run out',
}

/** Local mode is configured with this fee, as an operator is with CARD_FEE. */
export const cardSimulatorFee: CardFee = { percent: '2.9', fixed: '0.30' }

/** Implements the provider's side of docs/cards.md, with the page that would take the card. Its buttons choose what the provider does. */
export function cardSimulator({ secret, at, payUrl, usdOf, deliver, slowMs = 6_000 }: CardSimulatorParts) {
  let down = false
  let refuses: CardProblem | undefined
  const sessions = new Map<string, Session>()
  const timers = new Set<NodeJS.Timeout>()

  /** The provider charges 2.9 % plus thirty cents, rounded up to the cent. */
  const totalOf = async ({ fiat, deliver: { symbol, decimals, amount } }: CardRequest): Promise<string> => {
    const [token, unit] = [ratioOf(await usdOf(symbol)), ratioOf(fiat === 'usd' ? '1' : await usdOf(fiat))]
    const worth = converted({ numerator: BigInt(amount) * 1029n, denominator: 10n ** BigInt(decimals) * 1000n }, token, unit, 2)
    return formatUnits(ceilOf(worth) + 30n, 2)
  }

  const provider = new Hono()
  provider.post('/sessions', async (c) => {
    if (down) return c.text('The provider is down.', 503)
    if (c.req.header('authorization') !== `Bearer ${secret}`) return c.text('The bearer token is missing or wrong.', 401)
    const ask = z.safeParse(Ask, await c.req.json().catch(() => undefined))
    if (!ask.success) return c.text('The body is not a valid card request.', 400)
    if (refuses) return c.json({ refused: refuses } satisfies CardAnswer)
    const session: Session = {
      id: `cos_${randomBytes(12).toString('base64url')}`,
      ask: ask.data,
      total: await totalOf(ask.data),
      status: 'initialized',
      at: Date.now(),
    }
    sessions.set(session.id, session)
    const { id, status, total } = session
    const answer: CardAnswer = {
      session: { id, hosted_url: `${at()}/checkout/${id}`, status, total, at: new Date(session.at).toISOString() },
    }
    return c.json(answer)
  })

  const setStatus = async (session: Session, status: CardStatus, problem?: CardProblem): Promise<void> => {
    session.status = status
    session.at = Math.max(Date.now(), session.at + 1)
    const news: CardCallback = {
      session_id: session.id,
      reference: session.ask.reference,
      status,
      problem,
      at: new Date(session.at).toISOString(),
    }
    await postCallback(`${payUrl()}/callbacks/card`, secret, news)
  }

  const charge = async (session: Session): Promise<void> => {
    session.hash = await deliver(session.ask.deliver)
    await setStatus(session, 'fulfillment_complete')
  }

  const act = async (session: Session, action: Action): Promise<void> => {
    switch (action) {
      case 'approve':
        await setStatus(session, 'fulfillment_processing')
        return charge(session)
      case 'slow': {
        await setStatus(session, 'fulfillment_processing')
        const timer = setTimeout(() => {
          timers.delete(timer)
          charge(session).catch(() => undefined)
        }, slowMs)
        timers.add(timer)
        return
      }
      case 'decline':
        return setStatus(session, 'requires_payment', 'payment_method')
      case 'identity':
        return setStatus(session, 'requires_identity')
      case 'identity_failed':
        return setStatus(session, 'rejected', 'identity')
      case 'checkout_failed':
        return setStatus(session, 'rejected', 'checkout')
      case 'abandon':
        return setStatus(session, 'expired', 'session')
      default:
        return action satisfies never
    }
  }

  const isOver = ({ status }: Session): boolean => status === 'rejected' || status === 'expired' || status.startsWith('fulfillment')
  const headers = {
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'",
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
  }
  const shell = (body: string) =>
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Card payment</title><style>body{font:16px/1.5 system-ui,sans-serif;max-width:420px;margin:40px auto;padding:0 16px}button{display:block;font:inherit;width:100%;padding:10px 14px;margin:8px 0}</style></head><body><p>Test mode. This page stands for a card provider. It takes no card and charges nobody.</p>${body}</body></html>`

  provider.get('/checkout/:id', (c) => {
    const session = sessions.get(c.req.param('id'))
    if (!session) return c.html(shell('<h1>This session is over</h1>'), 404, headers)
    const { ask, total, status } = session
    const buttons = actions.map((action) => `<button name="deed" value="${action}">${labels[action]}</button>`).join('')
    const tokens = `${escapeHtml(formatUnits(BigInt(ask.deliver.amount), ask.deliver.decimals))} ${escapeHtml(ask.deliver.symbol)}`
    return c.html(
      shell(
        `<h1>${total} ${ask.fiat.toUpperCase()}</h1><p>for ${tokens}, all costs included. Now: <b id="status">${status}</b></p>${isOver(session) ? '' : `<form method="post">${buttons}</form>`}<p><a href="${escapeHtml(ask.return_url)}" rel="noreferrer">Back to the shop</a></p>`,
      ),
      200,
      headers,
    )
  })
  provider.post('/checkout/:id', async (c) => {
    const session = sessions.get(c.req.param('id'))
    const action = z.safeParse(Action, (await c.req.parseBody()).deed)
    if (!session || !action.success) return c.html(shell('<h1>This session is over</h1>'), 404, headers)
    if (!isOver(session)) await act(session, action.data)
    return c.redirect(`${at()}/checkout/${session.id}`, 303)
  })

  const controls = new Hono()
  controls.post('/test/card', async (c) => {
    const ControlRequest = z.object({ down: z.optional(z.boolean()), refuses: z.optional(z.nullable(z.enum(cardProblems))) })
    const request = z.safeParse(ControlRequest, await c.req.json().catch(() => undefined))
    if (!request.success) return c.json({ error: 'Bad Request', message: 'Send {down?, refuses?}.', code: 400 }, 400)
    down = request.data.down ?? down
    if (request.data.refuses !== undefined) refuses = request.data.refuses ?? undefined
    return c.json({ ok: true })
  })
  return {
    provider,
    controls,
    stop: () => {
      for (const timer of timers) clearTimeout(timer)
    },
  }
}
