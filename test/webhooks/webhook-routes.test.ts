import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Client, Refused } from '../support/client/client.ts'
import { type Process, type Stage, startStage } from '../support/service/stage.ts'

let stage: Stage
let process: Process
beforeAll(async () => {
  stage = await startStage({ mining: 'manual' })
  process = await stage.start()
})
afterAll(() => stage?.close())

const newClient = async (): Promise<Client> => (await stage.merchant()).at(process)
const statusOf = (answer: Promise<unknown>): Promise<number> =>
  answer.then(
    () => 201,
    (error: Refused) => error.status,
  )
const hook = (url: string) => ({ body: { url, events: ['ORDER_COMPLETED'] } })

test('error: an organisation has at most sixteen webhooks, even by concurrent requests, and another is unaffected', async () => {
  const client = await newClient()
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) => statusOf(client.ask('createWebhook', hook(`https://shop.example/${index}`)))),
  )
  expect(answers.sort()).toEqual([...Array.from({ length: 16 }, () => 201), 422, 422, 422, 422])
  const { data } = await client.ask('listWebhooks')
  expect(data).toHaveLength(16)
  await client.ask('deleteWebhook', { params: { webhook_id: data[0]!.id } })
  await client.ask('createWebhook', hook('https://shop.example/next'))
  await (await newClient()).ask('createWebhook', hook('https://shop.example/1'))
})

test('error: a duplicate address is 409, however it is written, also when another webhook is changed to it', async () => {
  const client = await newClient()
  const first = await client.ask('createWebhook', hook('https://shop.example/hook'))
  for (const url of ['https://shop.example/hook', 'https://SHOP.example:443/hook', 'https://shop.example/a/../hook'])
    await client.refused('createWebhook', 409, hook(url))
  const other = await client.ask('createWebhook', hook('https://shop.example/other'))
  const change = (id: string, url: string) => ({ params: { webhook_id: id }, body: { url } })
  await client.refused('changeWebhook', 409, change(other.id, 'https://shop.example/hook'))
  expect((await client.ask('changeWebhook', change(first.id, 'https://shop.example/hook'))).url).toBe('https://shop.example/hook')
  const twice = await Promise.all(
    Array.from({ length: 4 }, () => statusOf(client.ask('createWebhook', hook('https://shop.example/at-once')))),
  )
  expect(twice.sort()).toEqual([201, 409, 409, 409])
})

test.each([
  'https://localhost:4530/till',
  'https://shop.localhost/',
  'https://127.0.0.1/',
  'https://10.1.2.3/',
  'https://[::1]/',
  'https://2130706433/',
])('error: %s is refused when it is registered, since it would never be called', async (url) => {
  const client = await newClient()
  const { details } = await client.refused('createWebhook', 422, hook(url))
  expect(details).toMatchObject({ issues: [{ path: 'url', message: 'must be public' }] })
  const { id } = await client.ask('createWebhook', hook('https://shop.example/hook'))
  await client.refused('changeWebhook', 422, { params: { webhook_id: id }, body: { url } })
})
