import * as z from 'zod/mini'
import { OrderRead, SettingsRead, list, maybe, string } from '../../src/wire/order-read.ts'

/** What the server needs of an order to serve its page, beside what the page itself reads. */
export const ServedOrder = z.extend(OrderRead, {
  organization_id: string,
  settings: maybe(z.extend(SettingsRead, { theme_color: string, embed_origins: list(z.string()) })),
})
export type ServedOrder = z.infer<typeof ServedOrder>
