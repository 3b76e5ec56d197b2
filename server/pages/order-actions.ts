import type { Context, Hono } from 'hono'
import * as z from 'zod/mini'
import type { Problem } from '../../src/wire/boot.ts'
import { choiceQuery, parseChoice } from '../../src/wire/choice.ts'
import { parseCurrencyKey } from '../../src/wire/funds.ts'
import { Id } from '../../src/wire/scalars.ts'
import { readBody } from '../http/body.ts'
import { loadOrder } from './load-order.ts'
import { showOrder } from './order-page.ts'
import type { Refusal } from './order-source.ts'
import { mayLookUp, type PagesParts } from './pages-parts.ts'
import { surfaceOf, surfacePattern } from './surface.ts'

/** Browsers without script ask for these by form. With script the page calls the API itself. */
export const Form = z.discriminatedUnion('act', [
  z.object({ act: z.enum(['currency', 'extend', 'price']), currency: z.string() }),
  z.object({ act: z.enum(['refund', 'back']), currency: z.string(), typed: z.string().check(z.maxLength(200)) }),
  z.object({ act: z.literal('find'), typed: z.string().check(z.maxLength(200)) }),
])
export type Form = z.infer<typeof Form>

/**
 * Forms of other sites are recognised by `Sec-Fetch-Site` and not by `Origin`, since our page sends no referrer and so `Origin: null`. A
 * browser without `Sec-Fetch-Site` is trusted, since anyone who has the link could submit these forms.
 */
export function orderActions(app: Hono, parts: PagesParts): void {
  app.post(`/${surfacePattern}/:id`, async (c) => {
    const id = c.req.param('id')
    if (c.req.header('sec-fetch-site') === 'cross-site') return c.text('This form belongs to another site.', 403)
    const form = z.safeParse(Form, await readForm(c))
    if (!form.success || !z.safeParse(Id, id).success) return showOrder(c, parts, id, await loadOrder(c, parts, id))
    const outcome = mayLookUp(c, parts) ? await act(parts, id, form.data) : rateLimited(form.data)
    if (outcome.is === 'done')
      return c.redirect(`/${surfaceOf(c).at}/${id}${choiceQuery({ ...nextChoice(c, form.data) }, c.req.query('locale'))}`, 303)
    return showOrder(
      c,
      parts,
      id,
      await loadOrder(c, parts, id),
      outcome.is === 'found' ? { found: outcome.hash } : { problem: outcome.problem },
    )
  })
}

export type Outcome =
  | { readonly is: 'done' }
  | { readonly is: 'found'; readonly hash: string }
  | { readonly is: 'refused'; readonly problem: Problem }

const placeOf = ({ act }: Form): Problem['at'] => (act === 'back' ? 'refund' : act)
const typedIn = (form: Form): string | undefined => ('typed' in form ? form.typed.trim() : undefined)

const rateLimited = (form: Form): Outcome => ({
  is: 'refused',
  problem: { at: placeOf(form), code: 'often', typed: typedIn(form) },
})

export async function act({ orders }: PagesParts, id: string, form: Form): Promise<Outcome> {
  if (form.act === 'find') {
    const typed = form.typed.trim()
    if (!/^[A-Za-z0-9]{32,128}$/.test(typed)) return { is: 'refused', problem: { at: 'find', code: 'shape', typed } }
    const reply = await orders.findTransaction(id, typed)
    if (!reply.ok) return { is: 'refused', problem: problemOf('find', reply, typed) }
    return reply.value.found
      ? { is: 'found', hash: typed }
      : { is: 'refused', problem: { at: 'find', code: 'said', message: reply.value.message, why: reply.value.problem, typed } }
  }
  const currency = parseCurrencyKey(form.currency)
  const [at, typed] = [placeOf(form), typedIn(form)]
  if (!currency) return { is: 'refused', problem: { at, code: 'said' } }
  const reply = await orders.requestPayment(id, {
    ...(form.act === 'back' ? { refund_chain_id: currency.chain_id } : { source: { currency, payment_rail: 'CRYPTO' } }),
    refund_address: typed,
    extend: form.act === 'extend' ? true : undefined,
  })
  return reply.ok ? { is: 'done' } : { is: 'refused', problem: problemOf(at, reply, typed) }
}

function problemOf(at: Problem['at'], { status, message, problem }: Refusal, typed?: string): Problem {
  if (status === 0 || status >= 500) return { at, code: 'offline', typed }
  if (status === 429) return { at, code: 'often', typed }
  // Without a code it is about the address that was typed, for which the page has a sentence in the payer's language.
  if (at === 'refund' && (status === 400 || status === 422) && problem === undefined) return { at, code: 'shape', typed }
  return { at, code: 'said', message, why: problem, typed }
}

export function nextChoice(c: Context, form: Form) {
  const { qr } = parseChoice(new URL(c.req.url).searchParams)
  return { method: 'address', pick: false, qr, currency: form.act === 'find' || form.act === 'back' ? undefined : form.currency }
}

/** Reads the fields of a form, up to the API's limit for bodies, and returns undefined for another content type. */
export async function readForm(c: Context): Promise<Record<string, string> | undefined> {
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(c.req.header('content-type') ?? '')) return undefined
  return Object.fromEntries(new URLSearchParams(new TextDecoder().decode(await readBody(c.req.raw))))
}
