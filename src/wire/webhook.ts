import * as z from 'zod/mini'
import { OrderEvent } from './event.ts'
import { Id, SecureUrl } from './scalars.ts'

const Events = z.array(OrderEvent).check(z.minLength(1), z.maxLength(20))

/**
 * With `include_unsigned` it also reports orders that were made with the publishable key alone, which anybody can do. It is `failing` when it
 * has accepted nothing for three days.
 */
export const Webhook = z.object({
  id: z.string(),
  url: z.string(),
  events: z.array(OrderEvent),
  active: z.boolean(),
  include_unsigned: z.boolean(),
  failing: z.boolean(),
})
export type Webhook = z.infer<typeof Webhook>

/** Only the responses that create or rotate a secret contain it. */
export const WebhookWithSecret = z.extend(Webhook, { secret: z.string() })

export const WebhookCreate = z.strictObject({ url: SecureUrl, events: Events, include_unsigned: z.optional(z.boolean()) })
export const WebhookChange = z.strictObject({
  url: z.optional(SecureUrl),
  events: z.optional(Events),
  active: z.optional(z.boolean()),
  include_unsigned: z.optional(z.boolean()),
})
export const WebhookList = z.object({ data: z.array(Webhook) })
export const WebhookPath = z.object({ webhook_id: Id })
