import { createHash } from 'node:crypto'
import { endpoints } from '../../src/wire/endpoints.ts'
import { ApiError } from '../http/api-error.ts'
import type { Route } from '../http/route.ts'
import type { Engine } from '../orders/engine.ts'
import { newId } from '../orders/new-order.ts'
import type { Identity } from '../providers/identity.ts'
import { foldEmail, insertVerification, verificationOf } from './verifications.ts'

/** An organisation's requests about one applicant have the same reference, so that the provider recognises its customer. */
const referenceOf = (organizationId: string, type: string, email: string): string =>
  createHash('sha256')
    .update([organizationId, type, foldEmail(email)].join('\n'))
    .digest('hex')

export function offRamp(route: Route, engine: Engine, identity: Identity | undefined): void {
  route(
    endpoints.createVerification,
    async ({ body, organizationId }) => {
      const { type, email, full_name, endorsements, redirect_uri } = body
      if (await verificationOf(engine.sql, { organizationId, type, email })) return undefined
      if (!identity) throw new ApiError(502, 'No identity provider is connected to this service.')
      return identity.start({ reference: referenceOf(organizationId, type, email), type, email, full_name, endorsements, redirect_uri })
    },
    async ({ body, organizationId, tx }, customer) => {
      const who = { organizationId, type: body.type, email: body.email }
      if (customer) await insertVerification(tx, newId('ver'), who, body.full_name, customer, new Date(engine.clock()))
      const verification = await verificationOf(tx, who)
      if (!verification) throw new ApiError(502, 'The identity provider returned a customer that belongs to somebody else.')
      return { body: verification }
    },
  )
}
