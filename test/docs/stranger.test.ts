import { spawn, type ChildProcess } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { privateKeyToAddress } from 'viem/accounts'
import { openShop, type Shop } from '../support/service/checkout.ts'
import { freePort } from '../support/service/free-port.ts'
import { startService, type Service } from '../support/service/service.ts'
import { until } from '../support/wait.ts'
import { blocksOf } from './blocks.ts'
import { makeMerchantFolder, type MerchantFolder } from './merchant-folder.ts'

/**
 * Runs the server of docs/guides/webhooks.md word for word against an attacker who has read the publishable key from a page. His order has
 * the merchant's items and price, pays himself, and reaches the webhook because this merchant subscribed to unsigned orders.
 */

let service: Service
let shop: Shop
let folder: MerchantFolder
let server: ChildProcess | undefined
beforeAll(async () => {
  ;[service, folder] = await Promise.all([startService(), makeMerchantFolder()])
  shop = await openShop(service)
})
afterAll(async () => {
  server?.kill()
  await service?.close()
  folder?.remove()
})

async function startGuide(secret: string): Promise<{ url: string; output: () => string }> {
  const port = await freePort()
  const block = blocksOf('docs/guides/webhooks.md').find(({ text }) => text.includes("url === '/till'"))
  const text = block!.text.replaceAll('http://localhost:4020', service.payUrl).replaceAll('3000', String(port))
  const room = folder.room('stranger')
  writeFileSync(join(room, 'shop.mjs'), text)
  let output = ''
  server = spawn(process.execPath, ['shop.mjs'], { cwd: room, env: { ...process.env, WEBHOOK_SECRET: secret } })
  for (const stream of [server.stdout, server.stderr]) stream?.on('data', (chunk: Buffer) => (output += chunk.toString()))
  await until(() => output.includes('shop on'), { what: 'the shop of the guide' })
  return { url: `http://localhost:${port}`, output: () => output }
}

async function pay(id: string): Promise<void> {
  const { asset } = (await shop.read(id)).fulfillment
  const { data } = await shop.client.ask('requestPayment', {
    params: { order_id: id },
    body: { source: { currency: { chain_id: asset.chain_id, address: asset.address }, payment_rail: 'CRYPTO' } },
  })
  const [step] = data.steps
  if (step?.kind !== 'deposit') throw new Error('no deposit step')
  await shop.payer(asset.chain_id).pay(asset.address, step.data.deposit_address, BigInt(step.data.amount))
}

test('behavior: the guide’s server ships the paid orders that it made, and none of an unsigned caller', async () => {
  const attacker = privateKeyToAddress(`0x${'5'.repeat(64)}`)
  const { id: webhook, secret } = await shop.client.ask('createWebhook', {
    body: { url: `http://localhost:${await freePort()}/till`, events: ['ORDER_COMPLETED'], include_unsigned: true },
  })
  const guide = await startGuide(secret)
  // Forwards each webhook unchanged and records the orders that the guide's server acknowledged.
  const answered = new Map<string, number>()
  const relay = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const body = Buffer.concat(chunks)
      const signature = request.headers['till-webhook-signature'] as string
      const { status } = await fetch(`${guide.url}/till`, { method: 'POST', headers: { 'till-webhook-signature': signature }, body })
      answered.set((JSON.parse(body.toString()) as { order: { id: string } }).order.id, status)
      response.writeHead(status).end()
    })()
  })
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void relay.close())
  const url = `http://127.0.0.1:${(relay.address() as AddressInfo).port}/till`
  await shop.client.ask('changeWebhook', { params: { webhook_id: webhook }, body: { url } })

  const made = await shop.client.ask('createOrder', {
    body: {
      mode: 'DEPOSIT',
      amount: '42.50',
      fiat_unit: 'usd',
      currency: { chain_id: 8453, address: shop.token(8453, 'USDC') },
      recipient: attacker,
      metadata: { items: [{ name: 'Espresso machine', quantity: 1, unit_price: 42.5 }] },
    },
  })
  expect(made).toMatchObject({ created_by: 'key', price: { amount: '42.50', unit: 'usd' } })
  await pay(made.id)
  await until(() => answered.has(made.id), { what: 'the webhook of the stranger’s order' })

  const answer = await fetch(`${guide.url}/checkout`, { method: 'POST', redirect: 'manual' })
  const id = /ord_[\w-]+/.exec(answer.headers.get('location') ?? '')![0]
  await pay(id)
  await until(() => answered.has(id), { what: 'the webhook of the merchant’s own order' })
  expect([answered.get(made.id), answered.get(id)]).toEqual([204, 204])
  expect(guide.output()).toContain(`ship ${id}`)
  expect(guide.output()).not.toContain(made.id)
})
