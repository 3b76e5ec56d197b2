import { createServer, type Server } from 'node:http'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodeFunctionData, erc20Abi, type Address } from 'viem'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startAnvil, type Anvil } from '../../local/chains/anvil.ts'
import { payers } from '../../local/chains/accounts.ts'
import { seed } from '../../local/chains/seed.ts'
import { dollar, factory, tether, dai } from '../../local/chains/tokens.ts'
import { depositOf } from '../../server/chains/evm/deposits.ts'
import { balanceCall, ethCall } from '../../server/chains/evm/rpc-calls.ts'
import { exitCodeOf } from '../../server/operator/command.ts'
import { operate } from '../../server/operator/operate.ts'

/** What anybody can do with an order from a machine of his own: without the service, its environment or its database. */

const chainId = 8453
const now = 1_900_000_000
const releaseAt = now + 30 * 86_400
const [recipient, coinRecipient] = [`0x${'a1'.repeat(20)}`, `0x${'a2'.repeat(20)}`]
const owner = generatePrivateKey()
const ownRecipient = privateKeyToAddress(owner).toLowerCase()
const folder = mkdtempSync(join(tmpdir(), 'till-terms-'))
const output: string[] = []
let anvil: Anvil
let server: Server
let url: string
let answer = { status: 200, body: '' }
let env: Record<string, string> = {}
let orders = 0

async function run(...args: string[]): Promise<number> {
  try {
    await operate(args, env, (line) => output.push(line))
    return 0
  } catch (error) {
    output.push(error instanceof Error ? error.message : String(error))
    return exitCodeOf(error)
  }
}
const fee = { feeCollector: recipient, maxFeeBps: 100, maxFeeFlat: 0n }

/** Each test has an order of its own, whose terms are in a file. */
function newOrder(main = recipient) {
  const { address, terms } = depositOf(factory.address, {
    orderId: `ord_${++orders}`,
    destinations: [
      { chainId, token: dollar.address, recipient: main, ...fee },
      { chainId, token: null, recipient: coinRecipient, ...fee },
      { chainId: 10, token: dollar.address, recipient, ...fee },
    ],
    releaseAt,
  })
  const file = join(folder, `${terms.order_id}.json`)
  writeFileSync(file, JSON.stringify(terms))
  return { address, terms, file }
}
function asOrder({ address, terms }: ReturnType<typeof newOrder>) {
  const asset = { chain_id: chainId, address: dollar.address, decimals: 6, symbol: 'USDC' }
  const step = { kind: 'deposit', data: { deposit_address: address, currency: asset, amount: '1' } }
  return { id: terms.order_id, status: 'AWAITING_PAYMENT', fulfillment: { asset, recipient }, payment: { steps: [step] }, terms }
}

async function sendToken(token: string, to: string, amount: bigint) {
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to as Address, amount] })
  const [from] = payers
  await anvil.ask(
    ['anvil_impersonateAccount', from!.address],
    ['eth_sendTransaction', { from: from!.address, to: token, data }],
    ['evm_mine'],
  )
}
async function sendCoin(to: string, amount: bigint) {
  const [from] = payers
  const value = `0x${amount.toString(16)}`
  await anvil.ask(['anvil_impersonateAccount', from!.address], ['eth_sendTransaction', { from: from!.address, to, value }], ['evm_mine'])
}
async function balance(token: string | null, holder: string): Promise<bigint> {
  const signal = AbortSignal.timeout(60_000)
  if (token === null) return (await anvil.rpc.read(signal, balanceCall(holder)))[0]
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [holder as Address] })
  return BigInt((await anvil.rpc.read(signal, ethCall({ to: token, data }, 'latest')))[0])
}
const atTime = async (seconds: number) => void (await anvil.ask(['evm_setNextBlockTimestamp', seconds], ['evm_mine']))

beforeAll(async () => {
  anvil = await startAnvil({ chainId })
  await seed(anvil)
  await anvil.ask(['evm_setAutomine', true])
  await atTime(now)
  server = createServer((request, response) => {
    const isKnown = request.url?.startsWith('/pay/') || request.headers['x-api-key'] === 'pk_1'
    response.writeHead(isKnown ? answer.status : 401).end(answer.body)
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(async () => {
  server?.close()
  await anvil?.stop()
  rmSync(folder, { recursive: true })
})
beforeEach(() => {
  output.length = 0
  env = {}
  answer = { status: 200, body: '' }
})

const verify = (source: string, ...more: string[]) =>
  run('verify', source, '--factory', factory.address, '--recipient', recipient, '--recipient', coinRecipient, ...more)
function serve(order: object, kind: 'json' | 'page') {
  const body = kind === 'json' ? JSON.stringify(order) : pageOf(order)
  answer = { status: 200, body }
}
const pageOf = (order: object) =>
  `<!doctype html><div id="till"></div><script type="application/json" id="boot">${JSON.stringify({ boot: { order }, messages: {} })}</script>`

test('behavior: verify says true of terms, of an order by the API and of its page, and prints the address', async () => {
  const order = newOrder()
  expect(await verify(order.file)).toBe(0)
  serve(asOrder(order), 'json')
  expect(await verify(`${url}/v3/orders/${order.terms.order_id}`, '--api-key', 'pk_1')).toBe(0)
  serve(asOrder(order), 'page')
  expect(await verify(`${url}/pay/${order.terms.order_id}`)).toBe(0)
  expect(output).toEqual(Array(3).fill(`true: ${order.address}`))
})

test('error: verify says false, and why', async () => {
  const order = newOrder()
  expect(await run('verify', order.file, '--factory', factory.address, '--recipient', recipient)).toBe(1)
  expect(await run('verify', order.file, '--factory', recipient, '--recipient', recipient, '--recipient', coinRecipient)).toBe(1)
  expect(await verify(order.file, '--guard', recipient)).toBe(1)
  serve({ ...asOrder(order), terms: newOrder().terms }, 'page')
  expect(await verify(`${url}/pay/x`)).toBe(1)
  const { payment } = asOrder(order)
  payment.steps[0]!.data.deposit_address = recipient
  serve({ ...asOrder(order), payment }, 'page')
  expect(await verify(`${url}/pay/x`)).toBe(1)
  const problems = output.map((line) => /^false: .*\((\w+)\)$/.exec(line)?.[1])
  expect(problems).toEqual(['unknown_recipient', 'other_factory', 'unknown_guard', 'other_order', 'address'])
})

test('error: verify exits with 2 where it cannot tell', async () => {
  const { file } = newOrder()
  writeFileSync(join(folder, 'text'), 'hello')
  const asset = { chain_id: 20000000000001, address: null }
  writeFileSync(join(folder, 'bitcoin'), JSON.stringify({ id: 'ord_b', fulfillment: { asset, recipient: 'bc1q' } }))
  const cannot: readonly (readonly [args: readonly string[], message: string])[] = [
    [[join(folder, 'none')], 'cannot be read'],
    [[join(folder, 'text')], 'has no JSON'],
    [[join(folder, 'bitcoin')], 'any EVM chain'],
    [[`${url}/v3/orders/x`], 'HTTP 401'],
    [['http://127.0.0.1:9/pay/x'], 'cannot be read'],
    [[file, '--recipient', 'me'], 'is not an EVM address'],
    [[file, '--recepient', recipient], "Unknown option '--recepient'"],
  ]
  for (const [args, message] of cannot) {
    output.length = 0
    expect(await verify(args[0]!, ...args.slice(1)), args.join(' ')).toBe(2)
    expect(output.join('\n')).toContain(message)
  }
  expect(await run('verify', file, '--recipient', recipient)).toBe(2)
})

const release = (file: string, ...more: string[]) => run('release', file, '--rpc', anvil.rpcUrl, ...more)
function stranger() {
  env.TILL_RELEASE_KEY = generatePrivateKey()
  return fund(env.TILL_RELEASE_KEY as `0x${string}`)
}
async function fund(key: `0x${string}`) {
  await anvil.ask(['anvil_setBalance', privateKeyToAddress(key), `0x${(10n ** 18n).toString(16)}`])
}

test('behavior: before the time release says when and sends nothing, and after it a stranger sends all to the recipients', async () => {
  const order = newOrder()
  await Promise.all([sendToken(dollar.address, order.address, 7n), stranger()])
  await sendCoin(order.address, 11n)
  expect(await release(order.file)).toBe(1)
  expect(output.join('\n')).toContain(`can be released from ${new Date(releaseAt * 1000).toISOString()}`)
  expect(await balance(dollar.address, order.address)).toBe(7n)
  // Without a key it prints what to send, which anybody can sign elsewhere.
  const { TILL_RELEASE_KEY: key } = env
  env = {}
  output.length = 0
  expect(await release(order.file)).toBe(0)
  expect(output.join('\n').match(new RegExp(`to   ${factory.address}\n    data 0x[0-9a-f]+`, 'g'))).toHaveLength(2)
  await atTime(releaseAt)
  env = { OTHER: key! }
  output.length = 0
  expect(await release(order.file, '--key-env', 'OTHER'), output.join('\n')).toBe(0)
  expect(await balance(dollar.address, recipient)).toBe(7n)
  expect(await balance(null, coinRecipient)).toBe(11n)
  output.length = 0
  expect(await release(order.file, '--key-env', 'OTHER')).toBe(0)
  expect(output.filter((line) => line.includes('released'))).toEqual([])
})

test('behavior: what its recipient refuses stays and makes the command fail, and the rest is released', async () => {
  const order = newOrder()
  await Promise.all([sendToken(dollar.address, order.address, 7n), stranger(), anvil.ask(['anvil_setCode', coinRecipient, '0xfe'])])
  await sendCoin(order.address, 11n)
  const before = await balance(dollar.address, recipient)
  expect(await release(order.file)).toBe(1)
  expect(output.filter((line) => line.includes('not paid'))).toHaveLength(1)
  expect(output.at(-1)).toBe('Not everything has been released.')
  expect(await balance(dollar.address, recipient)).toBe(before + 7n)
  await anvil.ask(['anvil_setCode', coinRecipient, '0x'])
  expect(await release(order.file)).toBe(0)
  expect(await balance(null, order.address)).toBe(0n)
})

test('behavior: a token that the terms do not name is taken by the recipient of the first settlement himself', async () => {
  const order = newOrder(ownRecipient)
  await sendToken(tether.address, order.address, 5n)
  await stranger()
  expect(await release(order.file, '--token', tether.address)).toBe(1)
  expect(output.at(-1)).toContain('Only 0x')
  env.TILL_RELEASE_KEY = owner
  await fund(owner)
  expect(await release(order.file, '--token', tether.address), output.join('\n')).toBe(0)
  expect(await balance(tether.address, ownRecipient)).toBe(5n)
})

test('error: wrong input of release is refused by name, and nothing is sent', async () => {
  const order = newOrder()
  await sendToken(dollar.address, order.address, 3n)
  await stranger()
  writeFileSync(join(folder, 'wrong'), JSON.stringify({ ...order.terms, version: 2 }))
  const other = join(folder, 'elsewhere')
  const elsewhere = { ...order.terms, settlements: order.terms.settlements.filter(({ chain_id }) => chain_id === 10) }
  writeFileSync(other, JSON.stringify(elsewhere))
  const strange = join(folder, 'strange')
  writeFileSync(strange, JSON.stringify({ ...order.terms, factory: recipient }))
  const wrong: readonly (readonly [args: readonly string[], message: string])[] = [
    [['release', order.file], '--rpc is the URL'],
    [['release', order.file, '--rpc', 'http://127.0.0.1:9'], 'did not say which chain'],
    [['release', '--rpc', anvil.rpcUrl], "Name an order's URL"],
    [['release', join(folder, 'wrong'), '--rpc', anvil.rpcUrl], 'malformed'],
    [['release', other, '--rpc', anvil.rpcUrl], 'no settlement on chain 8453'],
    [['release', strange, '--rpc', anvil.rpcUrl], 'has no factory'],
    [['release', order.file, '--rpc', anvil.rpcUrl, '--token', dollar.address], 'without --token'],
    [['release', order.file, '--rpc', anvil.rpcUrl, '--token', 'usdc'], '--token is an address'],
    [['release', order.file, '--rpc', anvil.rpcUrl, '--token', dai.address.replace(/.$/, '0')], 'Only 0x'],
  ]
  for (const [args, message] of wrong) {
    output.length = 0
    expect(await run(...args), args.join(' ')).toBe(1)
    expect(output.join('\n')).toContain(message)
  }
  env.TILL_RELEASE_KEY = 'secret'
  expect(await release(order.file)).toBe(1)
  expect(output.join('\n')).toContain('TILL_RELEASE_KEY must hold a private key')
  expect(await balance(dollar.address, order.address)).toBe(3n)
})
