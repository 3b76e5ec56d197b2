import * as z from 'zod/mini'
import { Endorsement, KycStatus, TosStatus, VerificationType } from '../../src/wire/off-ramp.ts'
import { DateTime, HttpUrl, StorableDateTime, text } from '../../src/wire/scalars.ts'
import { type CallbackResult, ProviderUnavailable } from './callback.ts'
import { askProvider, type ProviderAddress, readCallback } from './ask-provider.ts'

export interface Applicant {
  /** Makes the call idempotent: for the same reference the provider returns the same customer. */
  readonly reference: string
  readonly type: z.infer<typeof VerificationType>
  readonly email: string
  readonly full_name: string | undefined
  readonly endorsements: readonly z.infer<typeof Endorsement>[] | undefined
  readonly redirect_uri: string | undefined
}

export const Customer = z.object({ customer_id: z.string().check(z.minLength(1), z.maxLength(200)), kyc_link: HttpUrl, tos_link: HttpUrl })
export type Customer = z.infer<typeof Customer>

export const IdentityCallback = z.object({
  customer_id: z.string(),
  kyc_status: KycStatus,
  tos_status: TosStatus,
  rejection_reasons: z.array(z.object({ developer_reason: text(1000), reason: text(1000), created_at: DateTime })).check(z.maxLength(50)),
  /** The verification entered this state at this time. Older updates are dropped. */
  at: StorableDateTime,
})
export type IdentityCallback = z.infer<typeof IdentityCallback>

/** `start` rejects with ProviderUnavailable if the provider cannot be reached. */
export interface Identity {
  start(applicant: Applicant, signal?: AbortSignal): Promise<Customer>
  read(header: string | undefined, body: Uint8Array, now: number): CallbackResult<IdentityCallback>
}

/** Connects to an identity provider that implements docs/providers.md: POST {url}/customers and signed callbacks. */
export const httpIdentity = (address: ProviderAddress): Identity => ({
  async start(applicant, signal) {
    const customer = await askProvider('The identity provider', address, { path: '/customers', body: applicant, schema: Customer, signal })
    if (!customer) throw new ProviderUnavailable('The identity provider', 'responded with status 404')
    return customer
  },
  read: (header, body, now) => readCallback(address.secret, header, body, IdentityCallback, now),
})
