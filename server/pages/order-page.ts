import type { Context, Hono } from 'hono'
import type { BootData, InvoiceSheet, OrderBoot } from '../../src/wire/boot.ts'
import { printReceipt } from '../pdf/print-receipt.ts'
import { parseChoice } from '../../src/wire/choice.ts'
import { scriptsOf, stylesOf } from './assets.ts'
import { brandRules, themeColorOf } from './brand.ts'
import { sendHtml } from './headers.ts'
import { languageOf } from './language.ts'
import { loadCurrencies, loadOrder, type Loaded } from './load-order.ts'
import { mayLookUp, type PagesParts } from './pages-parts.ts'
import type { PdfDoor } from './pdf.ts'
import { hostsOf, isInsideApp, surfaceOf, surfacePattern } from './surface.ts'
import type { ServedOrder } from './order-source.ts'

/** Serves the page of an order. A GET changes nothing, since mail scanners and previews open every link. */
export function orderPage(app: Hono, parts: PagesParts, pdf: PdfDoor): void {
  app.get(`/${surfacePattern}/:id`, async (c) => showOrder(c, parts, c.req.param('id'), await loadOrder(c, parts, c.req.param('id'))))
  app.get(`/${surfacePattern}/:id/receipt`, async (c) => {
    const loaded = await loadOrder(c, parts, c.req.param('id'))
    if (loaded.is !== 'order') return showOrder(c, parts, c.req.param('id'), loaded)
    if (loaded.order.status !== 'COMPLETED') return c.redirect(`/${surfaceOf(c).at}/${c.req.param('id')}`, 303)
    return show(c, parts, { ...(await orderData(c, parts, loaded)), view: 'receipt' }, 200, {
      'content-disposition': `attachment; filename="receipt-${receiptName(loaded.order)}.html"`,
    })
  })
  app.get(`/${surfacePattern}/:id/receipt.pdf`, async (c) => {
    const loaded = await loadOrder(c, parts, c.req.param('id'))
    if (loaded.is !== 'order') return showOrder(c, parts, c.req.param('id'), loaded)
    return (await serveReceiptPdf(c, parts, loaded, pdf)) ?? c.redirect(`/${surfaceOf(c).at}/${c.req.param('id')}`, 303)
  })
}

/** Returns undefined for an order that is not paid. A refund may still change a receipt, so it is printed anew each time. */
export async function serveReceiptPdf(c: Context, parts: PagesParts, loaded: Found, pdf: PdfDoor): Promise<Response | undefined> {
  const sheet = parts.receiptSheet(await orderData(c, parts, loaded))
  return sheet && pdf.serve(c, { name: `receipt-${receiptName(loaded.order)}.pdf`, isNew: true, print: () => printReceipt(sheet) })
}

type Found = Extract<Loaded, { is: 'order' }>

/** Also answers a form that failed, with the same page and the reason beside the form. */
export async function showOrder(
  c: Context,
  parts: PagesParts,
  id: string,
  loaded: Loaded,
  more: Partial<Pick<OrderBoot, 'problem' | 'found' | 'view' | 'path' | 'invoice'>> = {},
  sheet?: InvoiceSheet,
  headers?: Record<string, string>,
): Promise<Response> {
  switch (loaded.is) {
    case 'order':
      return show(c, parts, { ...(await orderData(c, parts, loaded)), ...more }, more.problem ? 422 : 200, headers, loaded.order, sheet)
    case 'missing':
      return show(c, parts, { ...common(c, parts, id), view: 'missing' }, 404)
    case 'untrue':
      return show(c, parts, { ...common(c, parts, id), view: 'untrue' }, 502)
    case 'down':
      return show(c, parts, { ...common(c, parts, id), view: 'down', reference: loaded.reference }, 503, { 'retry-after': '15' })
    default:
      return loaded satisfies never
  }
}

const common = (c: Context, { clock }: PagesParts, id: string) => ({
  ...languageOf(c.req.query('locale'), c.req.header('accept-language')),
  now: clock(),
  path: `/${surfaceOf(c).at}/${id}`,
  surface: surfaceOf(c).kind,
  inApp: isInsideApp(c.req.header('user-agent')) || undefined,
})

/** Only the server needs the rest of what it has read. */
const readInBrowser = ({ settings, ...order }: ServedOrder): ServedOrder => ({
  ...order,
  organization_id: undefined,
  settings: settings && { ...settings, hide_footer: settings.hide_footer || undefined, theme_color: undefined, embed_origins: undefined },
})

async function orderData(c: Context, parts: PagesParts, { order, methods }: Found): Promise<OrderBoot> {
  const query = new URL(c.req.url).search
  const choice = parseChoice(new URLSearchParams(query))
  const key = await parts.orders.keyFor(order.id)
  const isLimited = choice.pick && !mayLookUp(c, parts)
  return {
    ...common(c, parts, order.id),
    view: 'order',
    order: readInBrowser(order),
    methods: methods && [...methods],
    currencies: choice.pick && !isLimited ? await loadCurrencies(parts, order, choice.query) : undefined,
    problem: isLimited ? { at: 'search', code: 'often' } : undefined,
    query,
    api: key === undefined ? undefined : { base: parts.publicBaseUrl, key },
    walletRelay: key === undefined ? undefined : parts.walletRelay,
    factory: parts.factory,
    hosts: surfaceOf(c).kind === 'page' ? undefined : hostsOf(order, parts.embedOrigins),
    awaitsHost: surfaceOf(c).awaitsHost,
  }
}

function show(
  c: Context,
  { render, assets, nonce: makeNonce, payUrl, publicBaseUrl, embedOrigins, walletRelay }: PagesParts,
  data: BootData,
  status: number,
  more?: Record<string, string>,
  order?: ServedOrder,
  invoice?: InvoiceSheet,
): Response {
  const nonce = makeNonce()
  const color = order?.settings?.theme_color
  const brand = color === undefined ? undefined : brandRules(color)
  const html = render({
    shell: {
      nonce,
      scripts: scriptsOf(assets),
      styles: stylesOf(assets),
      brand,
      themeColor: brand && themeColorOf(color),
      invoice,
    },
    data,
  })
  const { kind, headers } = surfaceOf(c)
  const ancestors = kind === 'frame' ? hostsOf(order, embedOrigins) : []
  return sendHtml(c, html, { nonce, payUrl, baseUrl: publicBaseUrl, walletRelay: walletRelay?.url, ancestors }, status, {
    ...headers,
    ...more,
  })
}

/** Makes the order's reference safe for a file name in a header. */
export const receiptName = (order: ServedOrder): string =>
  (order.metadata?.reference ?? order.id).replace(/[^A-Za-z0-9_-]/g, '-').slice(0, 64)
