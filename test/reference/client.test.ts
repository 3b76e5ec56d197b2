import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { apiSource, operationsSource } from '../support/client/client-source.ts'
import { root } from '../support/root.ts'

/** The package's client is written from the table of endpoints, and written again after a change: `TILL_CLIENT=write`. */
const files = { 'embed/generated/api.ts': apiSource, 'embed/generated/operations.ts': operationsSource }

test.each(Object.entries(files))('default: %s is in step with the table of endpoints', (file, source) => {
  if (process.env.TILL_CLIENT === 'write') writeFileSync(join(root, file), source())
  expect(readFileSync(join(root, file), 'utf8')).toBe(source())
})

test('behavior: what a merchant reads of orders, events and deliveries is known to the last member', () => {
  const [types = ''] = apiSource().split('export interface Api ')
  const declarations = new Map(types.split(/^export /m).map((text) => [/^(?:interface|type) (\w+)/.exec(text)?.[1], text]))
  for (const name of ['Order', 'Payment', 'Fulfillment', 'OrderMetadata', 'EventEnvelope', 'ListedEvent', 'Delivery', 'Invoice', 'Webhook'])
    expect(declarations.get(name), name).not.toMatch(/\bunknown\b|\bany\b/)
})
