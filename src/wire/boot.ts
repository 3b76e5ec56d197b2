import * as z from 'zod/mini'
import { CurrencyRead } from './currency.ts'
import { localeCodes } from './locale.ts'
import { OrderRead } from './order-read.ts'
import { PaymentMethodRead } from './payment-methods.ts'

/**
 * Everything one response is made of. `shell` is for the renderer alone; the rest is also inlined as data, and the
 * page starts from it without asking again.
 */
const Shell = z.object({
  nonce: z.string(),
  /** Addresses of the pieces of the script that a page may start with, each with what it imports. */
  scripts: z.object({
    main: z.array(z.string()),
    secondary: z.array(z.string()),
    host: z.array(z.string()),
  }),
  /** The merchant's colour, repaired for contrast: whole CSS rules, made of hex colours only. */
  brand: z.optional(z.string().check(z.regex(/^[-:;{}()@#[\]="\w\s,.]*$/))),
  themeColor: z.optional(z.string().check(z.regex(/^#[0-9a-f]{6}$/i))),
  /** Written once, by the server: the browser has no use for it. */
  invoice: z.optional(z.lazy(() => InvoiceSheet)),
})

/** An invoice as it is printed: sums done, in decimals of its unit. */
export const InvoiceSheet = z.object({
  no: z.string(),
  date: z.string(),
  due_date: z.string(),
  unit: z.string(),
  from: z.object({ name: z.string(), email: z.string() }),
  to: z.object({ name: z.string(), email: z.string() }),
  lines: z.array(z.object({ name: z.string(), quantity: z.string(), price: z.string(), rate: z.string(), amount: z.string() })),
  subtotal: z.string(),
  taxes: z.array(z.object({ rate: z.string(), amount: z.string() })),
  total: z.string(),
  /** Archived by who sent it. */
  closed: z.boolean(),
})
export type InvoiceSheet = z.infer<typeof InvoiceSheet>

const locale = z.enum(localeCodes)

/** Why something the payer asked for did not happen, in place of a second page. */
export const Problem = z.object({
  at: z.enum(['methods', 'currency', 'refund', 'find', 'extend', 'price', 'search']),
  /** said: in the service's own words, in `message`. shape: what was typed can't be right. */
  code: z.enum(['said', 'offline', 'often', 'shape']),
  message: z.optional(z.string()),
  /** The problem code of `message` (wire/problems.ts). */
  why: z.optional(z.string()),
  /** What was typed, so that nothing has to be typed again. */
  typed: z.optional(z.string()),
})
export type Problem = z.infer<typeof Problem>

/** Through which wallets on other devices are reached (WalletConnect). */
export const WalletRelay = z.object({ url: z.string(), project: z.string() })
export type WalletRelay = z.infer<typeof WalletRelay>

const common = {
  locale,
  /** A language the payer asked for by name, kept in every link. */
  asked: z.optional(locale),
  /** Milliseconds by the server's clock when this was made. */
  now: z.number(),
  /** Path of the page on its own origin. */
  path: z.string(),
  surface: z.enum(['page', 'frame', 'popup']),
  /** In the browser of another app. */
  inApp: z.optional(z.literal(true)),
}

export const OrderBoot = z.object({
  ...common,
  view: z.enum(['order', 'receipt']),
  order: OrderRead,
  /** Absent when they could not be read. */
  methods: z.optional(z.array(PaymentMethodRead)),
  /** What can be paid with, when the list of networks and tokens is open. */
  currencies: z.optional(z.array(CurrencyRead)),
  /** The page's address query, as it was asked for. */
  query: z.string(),
  /** How the browser reaches the service; absent: it can't, and the page refreshes itself. */
  api: z.optional(z.object({ base: z.string(), key: z.string() })),
  /** Absent: only wallets of this device. */
  walletRelay: z.optional(WalletRelay),
  /** Origins of the pages that may embed this one and get its events; absent where nothing embeds it. */
  hosts: z.optional(z.array(z.string())),
  /** The order pays an invoice. `next`: an expired price is followed by another order, which a form asks for; 'none': not any more. */
  invoice: z.optional(z.object({ next: z.enum(['order', 'price', 'none']) })),
  problem: z.optional(Problem),
  /** A transaction hash was found by this response. */
  found: z.optional(z.string()),
})
export type OrderBoot = z.infer<typeof OrderBoot>

export const LoneBoot = z.object({
  ...common,
  view: z.enum(['missing', 'down']),
  /** To quote when asking for help. */
  reference: z.optional(z.string()),
})
export type LoneBoot = z.infer<typeof LoneBoot>

export const BootData = z.discriminatedUnion('view', [OrderBoot, LoneBoot])
export type BootData = z.infer<typeof BootData>

export const Boot = z.object({ shell: Shell, data: BootData })
export type Boot = z.infer<typeof Boot>

/** The built page, as the server holds it: an argument, not an import. */
export type Render = (boot: Boot) => string
