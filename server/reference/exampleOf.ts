import { alternatives, nameOf, type Description, type Schema } from './schema.ts'

const order = 'ord_5T0wq8m0V1yBzq4m5n3Zrw'
const hash = `0x${'4b1f'.repeat(16)}`
const somebody = '0x7b21f0a8c4e4bb1d5c0a6a9a26bb6b3f3d3c9e01'

/** Values as they are in life, by the member's name. What is not here follows from its schema. */
const values: Readonly<Record<string, unknown>> = {
  raw: '42500000',
  ui: '42.5',
  value_usd: 42.5,
  price_usd: 1,
  rate_usd: '1',
  decimals: 6,
  symbol: 'USDC',
  chain_id: 8453,
  chainId: 8453,
  hosted_url: `https://pay.example/pay/${order}`,
  payment_url: 'https://pay.example/invoice/inv_8r2',
  order_id: order,
  organization_id: 'org_4dG7',
  organization_name: 'Northwind Coffee',
  reference: 'NW-20418',
  price: { amount: '42.50', unit: 'usd' },
  deposit_address: somebody,
  recipient: somebody,
  wallet_address: somebody,
  address: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
  from: somebody,
  to: somebody,
  amount: '42500000',
  tx_hash: hash,
  transaction_hash: hash,
  source_tx_hash: hash,
  destination_tx_hash: hash,
  fee_tx_hash: hash,
  explorer_url: `https://basescan.org/tx/${hash}`,
  estimated_duration_seconds: 30,
  slippage_bps: 100,
  theme_color: '#0f4c5c',
  logo_url: 'https://shop.example/logo.png',
  return_url: 'https://shop.example/thanks',
  embed_origins: ['https://shop.example'],
  image: 'https://shop.example/guji.png',
  url: 'https://shop.example/till',
  secret: 'whsec_7cJ0…',
  events: ['ORDER_COMPLETED'],
  email: 'ada@shop.example',
  code: 404,
  error: 'Not Found',
  message: 'There is no such order.',
  label: 'Production',
  api_key_last_four: 'x7Qm',
  total_count: 1,
  limit: 20,
  offset: 0,
  quantity: 1,
  unit_price: 42.5,
  name: 'Ethiopia Guji, 1 kg',
  status: 'AWAITING_PAYMENT',
  mode: 'SALE',
  data: '0x',
  value: '0',
  kyc_link: 'https://identity.example/kyc/1',
  tos_link: 'https://identity.example/terms/1',
}

/** A currency's is opaque, the others say what they name. */
const ids: Readonly<Record<string, string>> = {
  Order: order,
  Webhook: 'wh_3Qv1',
  Invoice: 'inv_8r2T',
  ApiKey: 'key_5fXa',
  OffRampVerification: 'ver_2Lk9',
  BankOnrampDeposit: 'dep_6Yc4',
}

/** An answer of this shape. Optional members of larger ones stay away where they would only be noise. */
const left = new Set([
  'refund',
  'refunds',
  'surplus',
  'held_until',
  'reason',
  'details',
  'refunds_order_id',
  'threshold',
  'rejection_reasons',
])

export const exampleOf = ({ components }: Description, schema: Schema, name = '', depth = 0): unknown => {
  const next = (one: Schema, at: string) => exampleOf({ components } as Description, one, at, depth + 1)
  if (schema.$ref !== undefined) {
    const type = nameOf(schema.$ref)
    const made = exampleOf({ components } as Description, components.schemas[type] ?? {}, name, depth)
    return ids[type] !== undefined && typeof made === 'object' ? { ...made, id: ids[type] } : made
  }
  const known = values[name]
  if (known !== undefined && fits(schema, known)) return known
  const several = alternatives(schema)
  if (several) return next(several[0] ?? {}, name)
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return schema.enum[0]
  if (schema.properties) {
    const shown = Object.entries(schema.properties).filter(([key]) => schema.required?.includes(key) || !left.has(key))
    return Object.fromEntries(shown.map(([key, one]) => [key, next(one, key)]))
  }
  if (schema.type === 'array') return depth > 12 || !schema.items ? [] : [next(schema.items, name)]
  return plain(schema, name)
}

const plain = (schema: Schema, name: string): unknown => {
  if (schema.type === 'boolean') return name === 'is_live' || name === 'active' || name === 'available' || name === 'found'
  if (schema.type === 'integer' || schema.type === 'number') return Math.max(1, schema.minimum ?? 1)
  if (schema.type === 'object') return {}
  if (schema.format === 'date-time') return '2026-05-12T14:02:00Z'
  if (schema.format === 'date') return '2026-05-12'
  if (name.endsWith('id')) return `${name.replace(/_?id$/, '') || 'one'}_1`
  return schema.pattern?.includes('\\d') ? '42.50' : name || 'text'
}

/** A value by name is used where the schema would take it: `amount` is a string here and an object there. */
const fits = (schema: Schema, value: unknown): boolean => {
  if (alternatives(schema) || schema.const !== undefined) return false
  if (schema.enum) return schema.enum.includes(value as string)
  if (Array.isArray(value)) return schema.type === 'array'
  return typeof value === (schema.type === 'integer' ? 'number' : schema.type)
}
