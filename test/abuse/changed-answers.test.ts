// @vitest-environment happy-dom
import { cleanup } from '@testing-library/preact'
import { expect, test } from 'vitest'
import { openSocket } from '../../src/api/socket.ts'
import { pageClient } from '../support/client/page-client.ts'
import { checkOrder } from '../../src/check-order.tsx'
import { catalogue } from '../../src/i18n/catalogue.ts'
import { createWords } from '../../src/i18n/words.ts'
import type { RunningFlow } from '../../src/methods/method.ts'
import { payBySignature } from '../../src/methods/wallet/pay-by-signature.ts'
import { payByTransfer } from '../../src/methods/wallet/pay-by-transfer.ts'
import type { Wallet } from '../../src/methods/wallet/wallets.ts'
import { depositOf as payerDepositOf, fundingOf } from '../../src/order/funding.ts'
import { encodeHeader } from '../../src/wire/x402-header.ts'
import { depositOf } from '../../server/chains/evm/deposits.ts'
import { show } from '../screens/support.tsx'
import { full } from '../support/full.ts'
import * as orders from '../support/orders/orders.ts'
import { changedAt } from '../support/orders/termed-order.ts'

/**
 * Somebody between the page and the service changes a single member of a single answer: each one in turn, whatever it is. The payer then does
 * everything that the page offers. Money may only be copied, scanned, linked or requested of a wallet to where the unchanged answers lead.
 */

const factory = '0xcb006cbcc7481dca1897bb71b7e9601200ccaa4b'
const stranger = '0x00000000000000000000000000000000000000a1'
const payer = '0x1111111111111111111111111111111111111111'
const { usdc, usdcOnEthereum } = orders

type Json = Record<string, unknown>
type Answers = Readonly<Record<string, Json>>
type Path = readonly (string | number)[]

const scenes = { 'everything is due': orders.awaiting, 'the rest is due': orders.partial }

/** What the page reads, from its own HTML to the header of a 402, for an order that settles on two chains. */
function answersOf(recorded: () => object) {
  const plain = JSON.parse(JSON.stringify(recorded()))
  const { recipient, amount } = plain.fulfillment
  const fees = { recipient, feeCollector: stranger, maxFeeBps: 100, maxFeeFlat: 0n }
  const { address, terms } = depositOf(factory, {
    orderId: plain.id,
    destinations: [
      { chainId: 8453, token: usdc.address.toLowerCase(), ...fees },
      { chainId: 1, token: usdcOnEthereum.address.toLowerCase(), ...fees },
    ],
    guard: payer,
    releaseAt: 1_900_000_000,
  })
  const settlements = [usdc, usdcOnEthereum].map((currency) => ({ chain_id: currency.chain_id, currency, recipient, amount }))
  const whole = JSON.parse(JSON.stringify({ ...plain, settlements, terms }).replaceAll(orders.depositAddress, address))
  const order = { ...whole, payment: { ...whole.payment, recipient, output: { amount, currency: usdc } } }
  const later = { ...order, updated_at: '2026-05-12T14:05:30.000Z' }
  const offer = (network: string, asset: string) => ({
    scheme: 'exact',
    network,
    amount: '22500000',
    asset,
    payTo: address,
    maxTimeoutSeconds: 600,
    extra: { name: 'USD Coin', version: '2' },
  })
  const answers = {
    page: { order, factory },
    order: later,
    event: { type: 'event', data: { event: 'ORDER_UPDATED', order: later } },
    methods: { methods: orders.paymentMethods },
    currencies: { currencies: [usdc, usdcOnEthereum] },
    payment: { data: order.payment },
    x402: {
      x402Version: 2,
      accepts: [offer('eip155:8453', usdc.address), offer('eip155:1', usdcOnEthereum.address)],
      resource: { url: 'https://pay.example' },
    },
  }
  const truths = [`${usdc.address}@8453/${address}`, `${usdcOnEthereum.address}@1/${address}`, address].map((text) => text.toLowerCase())
  return { answers: JSON.parse(JSON.stringify(answers)) as Answers, truths: new Set(truths) }
}

/** Every member of an answer that is not itself an object or a list. */
const leavesOf = (value: unknown, path: Path = []): Path[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([name, inner]) => leavesOf(inner, [...path, Array.isArray(value) ? Number(name) : name]))
    : [path]

const changes: Record<string, (value: unknown) => unknown> = {
  'another value': (value) => {
    if (typeof value === 'boolean') return !value
    if (typeof value === 'number') return value === 1 ? 8453 : 1
    return value === 'eip155:8453' ? 'eip155:1' : stranger
  },
  'no value': () => undefined,
  'the zero address, or a chain that is not EVM': (value) => (typeof value === 'number' ? 20000000000001 : `0x${'0'.repeat(40)}`),
}

const trustChains: Readonly<Record<string, number>> = { c60: 1, c8453: 8453 }

/** How a text can say where to send what: the link of a token's transfer, that of one wallet, and that of a coin. */
const forms: readonly { readonly form: RegExp; readonly read: (...parts: string[]) => string }[] = [
  { form: /(0x[0-9a-f]{40})@(\d+)\/transfer\?address=(\w+)/g, read: (token, chain, to) => `${token}@${chain}/${to}` },
  { form: /asset=(c\d+)_t(\w+)&address=(\w+)/g, read: (chain, token, to) => `${token}@${trustChains[chain!]}/${to}` },
  { form: /asset=(c\d+)&address=(\w+)/g, read: (chain, to) => `coin@${trustChains[chain!]}/${to}` },
  { form: /(0x[0-9a-f]{40})@(\d+)/g, read: (to, chain) => `coin@${chain}/${to}` },
  { form: /(0x[0-9a-f]{40})(?![0-9a-f])/g, read: (to) => to! },
]

/** Writes targets as `token@chain/receiver`, or as the receiver alone where a text says no more. Each part of a text counts once. */
function targetsIn(text: string): string[] {
  const targets: string[] = []
  forms.reduce(
    (rest, { form, read }) =>
      rest.replaceAll(form, (_, ...parts: string[]) => {
        targets.push(read(...parts))
        return ' '
      }),
    decodeURIComponent(text).toLowerCase(),
  )
  return targets
}

function offeredOn(root: Element): string[] {
  const copies = root.hasAttribute('data-unchecked')
    ? []
    : [...root.querySelectorAll<HTMLElement>('[data-copy]')].map((button) => button.dataset.copy)
  const codes = [...root.querySelectorAll<HTMLElement>('[data-qr]')].map((code) => code.dataset.qr)
  // The page's links to itself name a choice, whose outcome is checked as everything else. An explorer shows what was sent, and a mail to the
  // shop names the order, and neither takes anything.
  const links = [...root.querySelectorAll('a')]
    .map((link) => link.getAttribute('href') ?? '')
    .filter((href) => !['/pay/', 'https://basescan.org/tx/', 'mailto:'].some((start) => href.startsWith(start)))
  return [...copies, ...codes, ...links].flatMap((text) => targetsIn(text ?? ''))
}

/** A wallet with money and without doubts, except that it signs nothing in the end, so that nothing is kept for the next case. */
function createWallet(asked: string[]): Wallet {
  let chain = '0x2105'
  const request = async ({ method, params }: { method: string; params?: unknown }): Promise<unknown> => {
    const [first, second] = (params ?? []) as [Json | string | undefined, string | undefined]
    switch (method) {
      case 'eth_chainId':
        return chain
      case 'eth_accounts':
      case 'eth_requestAccounts':
        return [payer]
      case 'wallet_switchEthereumChain':
        return void (chain = String((first as Json).chainId))
      case 'eth_call':
      case 'eth_getBalance':
        return `0x${'f'.repeat(32).padStart(64, '0')}`
      case 'eth_estimateGas':
      case 'eth_gasPrice':
        return '0x1'
      case 'eth_signTypedData_v4': {
        const { domain, message } = JSON.parse(second!) as Record<string, Json>
        asked.push(`${String(domain!.verifyingContract)}@${Number(domain!.chainId)}/${String(message!.to)}`.toLowerCase())
        break
      }
      case 'eth_sendTransaction': {
        const { to, data, chainId } = first as Record<string, string>
        const token = data === '0x' ? 'coin' : to
        const receiver = data === '0x' ? to : `0x${data!.slice(34, 74)}`
        asked.push(`${token}@${Number(chainId)}/${receiver}`.toLowerCase())
        break
      }
    }
    throw Object.assign(new Error('no'), { code: 4001 })
  }
  return { rdns: 'example.wallet', name: 'Wallet', provider: { request }, usedBefore: false } as Wallet
}

const settle = () => new Promise<void>((resolve) => setTimeout(resolve))

/** Runs a flow until it waits for the payer. A list of wallets never ends by itself. */
async function drive<Input>(flow: RunningFlow<Input, { readonly at: string }>, input: Input): Promise<void> {
  const run = { hasEnded: false }
  const end = () => {
    run.hasEnded = true
  }
  void flow.run(input).then(end, end)
  while (!run.hasEnded && flow.step.value?.at !== 'list') await settle()
}

/** Everything to which a payer could send money, if these are the answers. */
async function visit(answers: Answers, asked: string[] = []): Promise<string[]> {
  const offered: string[] = []
  const fetchAnswer = async (url: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const { pathname } = new URL(String(url))
    if (pathname.endsWith('/x402/complete'))
      return new Response('{}', { status: 402, headers: { 'PAYMENT-REQUIRED': encodeHeader(answers.x402) } })
    const name = pathname.endsWith('payment-methods')
      ? 'methods'
      : pathname.endsWith('currencies')
        ? 'currencies'
        : init?.method === 'POST'
          ? 'payment'
          : 'order'
    return Response.json(answers[name])
  }
  const client = pageClient({ fetch: fetchAnswer })
  const { order: sent, factory: given } = JSON.parse(JSON.stringify(answers.page))
  try {
    const { container, page } = show(sent, { query: '?method=address', factory: given, client })
    container.id = 'till'
    container.setAttribute('data-unchecked', '')
    if (given) checkOrder(page, createWords('en', catalogue.en), given)
    const collect = async () => {
      await settle()
      offered.push(...offeredOn(container))
    }
    await collect()
    const { checkout } = page
    await checkout.loadMethods()
    await checkout.search('')
    for (const currency of checkout.currencies.peek() ?? []) {
      await checkout.pay({ currency: { chain_id: currency.chain_id, address: currency.address ?? null } })
      await collect()
    }
    const socket = { send() {}, close() {}, onmessage: undefined as ((event: object) => void) | undefined }
    const live = openSocket({
      open: () => socket as unknown as WebSocket,
      random: () => 0,
      url: 'wss://api.example/v3/ws',
      key: 'pk',
      orderId: checkout.order.peek().id,
      onUp: () => {},
      onDown: () => {},
      onOrder: checkout.apply,
    })
    socket.onmessage?.({ data: JSON.stringify(answers.event) })
    live.stop()
    await collect()
    checkout.choose({ method: 'address', pick: false })
    await collect()
    const wallet = createWallet(asked)
    const signature = checkout.start(payBySignature)
    await drive(signature, { do: 'connect', wallet })
    for (let step = signature.step.value; step?.at === 'review' && !step.notice; step = signature.step.value)
      await drive(signature, { do: step.needs === 'switch' ? 'switch' : 'sign', review: step.review })
    signature.stop()
    const [deposit, funding] = [payerDepositOf(checkout.order.peek()), fundingOf(checkout.order.peek())]
    if (deposit && funding) {
      const transfer = checkout.start(payByTransfer)
      await drive(transfer, { do: 'connect', wallet, rest: { to: deposit.address, due: { raw: funding.due, currency: funding.currency } } })
      for (let step = transfer.step.value; step?.at === 'plan' && !step.notice; step = transfer.step.value)
        await drive(transfer, { do: step.needs === 'switch' ? 'switch' : 'send', plan: step.plan })
      transfer.stop()
    }
    await collect()
  } catch {
    // A page that an impossible answer breaks offers nothing more. What it has offered before counts.
  } finally {
    cleanup()
  }
  return [...offered, ...asked]
}

/** Short runs change some of what says where money goes, and only to something else that is valid. */
const isMoney = (path: Path): boolean =>
  path.includes('terms') || /^(chain_id|network|address|asset|deposit_address|payTo|recipient|factory)$/.test(String(path.at(-1)))

function casesOf(answers: Answers) {
  const cases = Object.entries(answers).flatMap(([name, answer]) =>
    leavesOf(answer).flatMap((path) => Object.entries(changes).map(([what, change]) => ({ name, answer, path, what, change }))),
  )
  return full ? cases : cases.filter(({ path, what }) => what === 'another value' && isMoney(path)).filter((_, place) => place % 6 === 0)
}

for (const [scene, recorded] of Object.entries(scenes)) {
  test(`default: while ${scene}, unchanged answers lead to the order's address by every way`, async () => {
    const { answers, truths } = answersOf(recorded)
    const asked: string[] = []
    const offered = new Set(await visit(answers, asked))
    expect([...offered].filter((target) => !truths.has(target))).toEqual([])
    expect([...truths].filter((target) => offered.has(target))).toHaveLength(2)
    // A signature and a transfer.
    expect(asked).toHaveLength(2)
  })

  test(`property: while ${scene}, no single change of any answer leads anywhere else`, { timeout: 900_000 }, async () => {
    const { answers, truths } = answersOf(recorded)
    const wrong: unknown[] = []
    let cases = 0
    for (const { name, answer, path, what, change } of casesOf(answers)) {
      cases++
      const offered = await visit({ ...answers, [name]: changedAt(answer, path, change) as Json })
      const others = [...new Set(offered)].filter((target) => !truths.has(target))
      if (others.length > 0) wrong.push([name, path.join('.'), what, others])
    }
    console.info(`${cases} changed answers while ${scene}`)
    expect(wrong).toEqual([])
  })
}
