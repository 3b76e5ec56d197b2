import { expect, test } from 'vitest'
import { pageClient } from '../support/client/page-client.ts'

const clientOf = (status: number, body: unknown, translate: (problem: string) => Promise<string | undefined>) =>
  pageClient({ fetch: async () => new Response(JSON.stringify(body), { status }), translate })

const refusal = {
  error: 'Unprocessable Content',
  message: 'This order cannot take a payment.',
  code: 422,
  details: { problem: 'not_payable' },
}

test('default: a refusal is said in the page’s language', async () => {
  await expect(clientOf(422, refusal, async () => 'Nicht zahlbar.').order('ord_1')).rejects.toMatchObject({
    name: 'ApiError',
    status: 422,
    message: 'Nicht zahlbar.',
  })
})

test('error: without the translations the service’s own sentence is kept', async () => {
  await expect(clientOf(422, refusal, () => Promise.reject(new Error('offline'))).order('ord_1')).rejects.toMatchObject({
    name: 'ApiError',
    status: 422,
    message: 'This order cannot take a payment.',
  })
})
