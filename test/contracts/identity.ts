import { expect, test } from 'vitest'
import type { Applicant, Identity } from '../../server/providers/identity.ts'

export interface IdentityStage {
  readonly identity: Identity
  setDown(down: boolean): Promise<void>
}

const applicant = (reference: string): Applicant => ({
  reference,
  type: 'individual',
  email: 'ann@example.com',
  full_name: 'Ann Smith',
  endorsements: ['base'],
  redirect_uri: undefined,
})

export function identityContract(stage: () => IdentityStage): void {
  test('default: an applicant becomes a customer with two links, and repeated calls return the same customer', async () => {
    const { identity } = stage()
    const made = await identity.start(applicant('one'))
    expect(made.customer_id).toMatch(/\S/)
    for (const link of [made.kyc_link, made.tos_link]) expect(new URL(link).protocol).toMatch(/^https?:$/)
    expect(await identity.start(applicant('one'))).toEqual(made)
    expect((await identity.start(applicant('two'))).customer_id).not.toBe(made.customer_id)
  })

  test('error: an unreachable provider is unavailable', async () => {
    const { identity, setDown } = stage()
    await setDown(true)
    await expect(identity.start(applicant('three'))).rejects.toMatchObject({ code: 'provider_unavailable' })
    await setDown(false)
  })
}
