/**
 * A merchant's server calls the API and verifies webhooks with this. It needs only `fetch` and WebCrypto, which Node 20, Deno, Bun and edge
 * runtimes have. Never use it in a page, because that would publish the API secret.
 */
export type { CallOptions, Method, ServerOptions } from './call-api.ts'
export { createTill, type TillServer } from './create-till.ts'
export type * from './generated/api.ts'
export { TillError, type TillErrorCode } from './till-error.ts'
export {
  type CheckedWebhook,
  checkWebhook,
  verifyWebhook,
  WebhookError,
  type WebhookEvent,
  type WebhookOptions,
  type WebhookProblem,
} from './verify-webhook.ts'
