import { askProvider, type ProviderAddress, readCallback } from './ask-provider.ts'
import { ProviderUnavailable } from './callback.ts'
import { Customer, type Identity, IdentityNews } from './identity.ts'

/** An identity provider behind docs/providers.md: POST {url}/customers, and signed callbacks. */
export const httpIdentity = (address: ProviderAddress): Identity => ({
  async start(applicant, signal) {
    const customer = await askProvider('The identity provider', address, { path: '/customers', body: applicant, schema: Customer, signal })
    if (!customer) throw new ProviderUnavailable('The identity provider', 'answered 404')
    return customer
  },
  read: (header, body, now) => readCallback(address.secret, header, body, IdentityNews, now),
})
