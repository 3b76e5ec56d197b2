import { expect, test } from 'vitest'
import { createClient } from '../../src/api/client.ts'

const clientOf = (status: number, body: unknown, translate: (problem: string) => Promise<string | undefined>) =>
  createClient({
    fetch: async () => new Response(JSON.stringify(body), { status }),
    base: 'https://api.example/v3',
    key: 'pk',
    onDate: () => {},
    translate,
  })

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
