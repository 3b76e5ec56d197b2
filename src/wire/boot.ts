import * as z from 'zod/mini'
import { FoundCurrencyRead } from './currency.ts'
import { localeCodes } from './locale.ts'
import { OrderRead } from './order-read.ts'
import { PaymentMethodRead } from './payment-methods.ts'

/** Only the renderer sees this part of `Boot`. An order's page gets `data` in its HTML, so that it starts without another request. */
const Shell = z.object({
  nonce: z.string(),
  /** Each list has the URLs of a script's entry and of its imports. A page loads `secondary` and `host` only if it needs them. */
  scripts: z.object({
    main: z.array(z.string()),
    secondary: z.array(z.string()),
    host: z.array(z.string()),
  }),
  /** The whole stylesheet has this URL. */
  styles: z.optional(z.string()),
  /** These CSS rules set the merchant's colour, adjusted for contrast. Without any `<` they cannot end the style element. */
  brand: z.optional(z.string().check(z.regex(/^[-:;{}()@#[\]="\w\s,.]*$/))),
  themeColor: z.optional(z.string().check(z.regex(/^#[0-9a-f]{6}$/i))),
  /** Only the server renders the invoice, so its data is not sent to the browser. */
  invoice: z.optional(z.lazy(() => InvoiceSheet)),
})

const SheetParty = z.object({ name: z.string(), email: z.string(), address: z.array(z.string()), tax_number: z.optional(z.string()) })

/** The server has already calculated all amounts, as decimals of `unit`, so the page only formats them. */
export const InvoiceSheet = z.object({
  no: z.string(),
  date: z.string(),
  due_date: z.string(),
  unit: z.string(),
  from: SheetParty,
  to: SheetParty,
  lines: z.array(z.object({ name: z.string(), quantity: z.string(), price: z.string(), rate: z.string(), amount: z.string() })),
  subtotal: z.string(),
  taxes: z.array(z.object({ rate: z.string(), amount: z.string() })),
  total: z.string(),
  /** This is true once the merchant has archived the invoice. */
  closed: z.boolean(),
  /** Its day has passed, and there was no money for it when this was drawn. */
  overdue: z.boolean(),
})
export type InvoiceSheet = z.infer<typeof InvoiceSheet>

const locale = z.enum(localeCodes)

/** A failed request is explained on the same page, so a problem names its place (`at`) and keeps what the payer typed. */
export const Problem = z.object({
  at: z.enum(['methods', 'currency', 'refund', 'find', 'extend', 'price', 'search']),
  /** `said` is a refusal with the service's sentence in `message`, if any, `often` a rate limit, and `shape` a malformed typed text. */
  code: z.enum(['said', 'offline', 'often', 'shape']),
  message: z.optional(z.string()),
  /** The server translates `message` by this problem code (problems.ts). */
  why: z.optional(z.string()),
  typed: z.optional(z.string()),
})
export type Problem = z.infer<typeof Problem>

/** The page reaches wallets on other devices through this relay (WalletConnect). */
export const WalletRelay = z.object({ url: z.string(), project: z.string() })
export type WalletRelay = z.infer<typeof WalletRelay>

const common = {
  locale,
  /** The URL asked for this language, so the page's links to itself repeat it. */
  asked: z.optional(locale),
  /** The server created the page at this time, in unix milliseconds. */
  now: z.number(),
  /** The page's URL has this path, to which links add their query. */
  path: z.string(),
  surface: z.enum(['page', 'frame', 'popup']),
  /** This is present if the page is shown in the browser inside another app. */
  inApp: z.optional(z.literal(true)),
}

export const OrderBoot = z.object({
  ...common,
  view: z.enum(['order', 'receipt']),
  order: OrderRead,
  /** The list is absent if the service did not return it. */
  methods: z.optional(z.array(PaymentMethodRead)),
  /** The list of networks and tokens has these rows. They are absent while it is closed. */
  currencies: z.optional(z.array(FoundCurrencyRead)),
  /** Server and browser both read the choice from this query of the requested URL. */
  query: z.string(),
  /** The browser calls the service with this URL and key. They are absent if the merchant has no active key. */
  api: z.optional(z.object({ base: z.string(), key: z.string() })),
  walletRelay: z.optional(WalletRelay),
  /** The addresses of orders on EVM chains follow from this contract, with which the browser checks them. Absent: they are not checked. */
  factory: z.optional(z.string()),
  /** These origins may embed this page and receive its events. They are absent if the page is neither in a frame nor in a popup. */
  hosts: z.optional(z.array(z.string())),
  /** Nothing of the order can be seen until the host says that it expects this order. */
  awaitsHost: z.optional(z.literal(true)),
  /** The order pays an invoice. `next` says what an expired price leads to: a new order, a new price, or nothing for a closed invoice. */
  invoice: z.optional(z.object({ next: z.enum(['order', 'price', 'none']) })),
  problem: z.optional(Problem),
  /** The posted form has found this transaction hash. */
  found: z.optional(z.string()),
})
export type OrderBoot = z.infer<typeof OrderBoot>

export const LoneBoot = z.object({
  ...common,
  /** With `untrue` the order's money might not reach the merchant, so nothing of it is shown. */
  view: z.enum(['missing', 'down', 'untrue']),
  /** The payer can quote this reference when asking for help. */
  reference: z.optional(z.string()),
})
export type LoneBoot = z.infer<typeof LoneBoot>

export const BootData = z.discriminatedUnion('view', [OrderBoot, LoneBoot])
export type BootData = z.infer<typeof BootData>

export const Boot = z.object({ shell: Shell, data: BootData })
export type Boot = z.infer<typeof Boot>

/** The server gets the built renderer as an argument, because it must not import the page's code. */
export type Render = (boot: Boot) => string
