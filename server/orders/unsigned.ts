import type { OrderCreate } from '../../src/wire/order.ts'
import { ApiError } from '../http/api-error.ts'
import { secondsToNextHour } from './gas-budget.ts'
import type { Organization } from '../organizations/organizations.ts'

/** Any of these settings would make an unsigned order look like the merchant's own or link to another site. */
const signedOnlySettings = ['return_url', 'embed_origins', 'logo_url', 'theme_color', 'support_url', 'note']

/** Anybody can read the publishable key and create an unsigned order, so it must not look like the merchant's own. */
export function requireAllowedUnsigned({ settings, metadata }: OrderCreate, organization: Organization): void {
  if (!organization.unsignedOrders)
    throw new ApiError(403, 'This organisation takes no orders without a signature. Create the order on your server and sign the call.')
  const paths = [
    ...signedOnlySettings.filter((name) => settings && name in settings).map((name) => `settings.${name}`),
    ...(metadata?.reference === undefined ? [] : ['metadata.reference']),
    ...(metadata?.items ?? []).flatMap(({ image }, index) => (image === undefined ? [] : [`metadata.items.${index}.image`])),
  ]
  if (paths.length > 0)
    throw new ApiError(422, `An order without a signature cannot have ${paths.join(', ')}: sign the call, or leave them out.`, {
      issues: paths.slice(0, 20).map((path) => ({ path, message: 'only on a signed order' })),
    })
}

/** Returns the 429 error for an organisation whose gas budget is used up until the next hour. */
export function overBudget(message: string, now: number): ApiError {
  const seconds = secondsToNextHour(now)
  return new ApiError(429, `${message} There is more in ${seconds} s.`, undefined, { 'retry-after': String(seconds) })
}
