import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ChainId } from '../../src/wire/chain.ts'
import type { Engine } from '../../server/orders/engine.ts'
import { sendMails } from '../../server/invoices/send-mails.ts'
import { lookAtPegs } from '../../server/invoices/watch-pegs.ts'
import type { MailMessage } from '../../server/providers/mail.ts'
import { t0 } from '../orders/model/support.ts'
import { type Recording, startRecording } from '../support/orders/recording.ts'
import { createMerchant } from '../support/service/merchant.ts'
import { until } from '../support/wait.ts'

/** Merchants are notified of a token that is not worth what it is pegged to. The database is real, and so is the mailer up to the mail server. */

const day = 86_400_000
const base: ChainId = 8453
const dollar = `0x${'da'.repeat(20)}`
const other = `0x${'db'.repeat(20)}`
const known = new Map<string, { usd: string; asOf?: number }>()
const sent: MailMessage[] = []
let recording: Recording
let engine: Engine
let now = t0
const stopping = new AbortController()
let sending: Promise<void>

beforeAll(async () => {
  recording = await startRecording()
  const token = (address: string, symbol: string, peg?: string) => ({
    chainId: base,
    address,
    symbol,
    priceId: symbol,
    decimals: 6,
    ...(peg && { peg }),
  })
  const chain = { id: base, tokens: [token(dollar, 'USDC', 'usd'), token(other, 'PEPE')] }
  engine = {
    ...recording.engine,
    clock: () => now,
    payUrl: 'https://pay.example',
    chains: new Map([[base, chain]]),
    prices: {
      get: async (id: string) => {
        const price = known.get(id)
        return price && { asOf: now, ...price }
      },
    },
  } as never
  const paidIn = (address: string) => ({
    settlements: [{ chainId: base, address, recipient: `0x${'1'.repeat(40)}`, feeCollector: `0x${'2'.repeat(40)}` }] as const,
  })
  await createMerchant(recording.sql, 'mailed', { ...paidIn(dollar), email: 'owner@shop.example' })
  await createMerchant(recording.sql, 'silent', paidIn(dollar))
  await createMerchant(recording.sql, 'elsewhere', { ...paidIn(other), email: 'owner@elsewhere.example' })
  const mail = { send: async (message: MailMessage) => void sent.push(message) }
  sending = sendMails({ engine, mail, sender: 'till@pay.example', wordsOf: () => ({}) as never }, stopping.signal)
})
afterAll(async () => {
  stopping.abort()
  await sending
  await recording?.close()
})

const look = (reported = new Set<string>()) => lookAtPegs(engine, reported)
const pending = async () => Number((await recording.sql`select count(*)::int as count from mails`)[0]?.count)

test.each(['1', '0.995', '1.005'])('default: at %s dollars nobody is notified', async (usd) => {
  known.set('USDC', { usd })
  await look()
  expect(await pending()).toBe(0)
})

test('behavior: without a fresh price nobody is notified, since nothing is sold either', async () => {
  known.set('USDC', { usd: '0.9', asOf: now - 61_000 })
  await look()
  known.delete('USDC')
  await look()
  expect(await pending()).toBe(0)
})

test('behavior: outside the band, merchants who are paid in the token get one mail a day, however many processes look', async () => {
  known.set('USDC', { usd: '0.9949' })
  const reported = new Set<string>()
  for (let minute = 0; minute < 3; minute++) await look(reported)
  await Promise.all([look(), look()])
  await until(() => sent.length === 1)
  expect(await pending()).toBe(1)
  expect(sent[0]).toMatchObject({ to: { address: 'owner@shop.example' }, subject: 'USDC is not worth one USD at present' })
  expect(sent[0]?.text).toContain('The market price of USDC is 0.9949 USD')
  now += day
  await look(reported)
  await until(() => sent.length === 2)
})
