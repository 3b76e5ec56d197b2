import type { Address } from '@solana/kit'
import { TOKEN_PROGRAM_ADDRESS } from '@solana-program/token'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { solanaFeed } from '../../server/chains/solana/account-feed.ts'
import { watchAddress } from '../../server/chains/solana/accounts.ts'
import { rpcClient } from '../../server/chains/solana/rpc-client.ts'
import { tokenAccount } from '../../server/chains/solana/token-account.ts'
import { finalAfter, type TestSolana } from '../chains/solana/test-solana.ts'
import { laggingNode } from '../chains/solana/lagging-node.ts'
import type { NodeProxy } from '../chains/solana/node-proxy.ts'
import { createNotebook } from '../contracts/feed-notebook.ts'
import { until } from '../support/wait.ts'
import { chainId, type SolanaSends, startSolanaSends } from './solana-support.ts'

/** The least that an account may have. */
const rent = 890_880n
/** What an account for a token costs. */
const tokenRent = 2_039_280n
const surplus = { kind: 'surplus' } as const

let sends: SolanaSends
let solana: TestSolana
let proxy: NodeProxy
let operator: Address
let lamports: SolanaSends['lamports']
let orderWith: SolanaSends['orderWith']
let paid: SolanaSends['paid']
beforeAll(async () => {
  sends = await startSolanaSends()
  ;({ solana, proxy, operator, lamports, orderWith, paid } = sends)
})
afterAll(() => sends?.close())

test('default: a settlement in coins pays the recipient and the fees, and the operator pays for it', async () => {
  const { orderId, deposit } = await orderWith(null, 1_000_000_000n)
  const [shop, fees] = [solana.newAddress(), solana.newAddress()]
  const before = lamports(operator)
  const legs = [
    { to: shop, amount: 990_000_000n },
    { to: fees, amount: 10_000_000n },
  ]
  const outcome = await paid({ orderId, token: null, legs })
  expect(outcome).toMatchObject({ state: 'confirmed', paid: [true, true] })
  expect([shop, fees, deposit].map(lamports)).toEqual([990_000_000n, 10_000_000n, 0n])
  expect(outcome.state === 'confirmed' && outcome.fee).toBe(before - lamports(operator))
})

test('behavior: coins that are too few to stay at the deposit address go with the last leg', async () => {
  const { orderId, deposit } = await orderWith(null, 1_000_000_000n + rent - 1n)
  const shop = solana.newAddress()
  expect(await paid({ orderId, token: null, legs: [{ to: shop, amount: 1_000_000_000n }] })).toMatchObject({ dust: rent - 1n })
  expect([shop, deposit].map(lamports)).toEqual([1_000_000_000n + rent - 1n, 0n])
})

test('behavior: coins that may stay, stay', async () => {
  const { orderId, deposit } = await orderWith(null, 1_000_000_000n + rent)
  const outcome = await paid({ orderId, token: null, legs: [{ to: solana.newAddress(), amount: 1_000_000_000n }] })
  expect(outcome).toMatchObject({ state: 'confirmed', paid: [true] })
  expect(outcome).not.toHaveProperty('dust')
  expect(lamports(deposit)).toBe(rent)
})

test('behavior: fees that are too few for a new account are left out, and the recipient is paid', async () => {
  const { orderId, deposit } = await orderWith(null, 1_000_000_000n)
  const legs = [
    { to: solana.newAddress(), amount: 900_000_000n },
    { to: solana.newAddress(), amount: 100_000n },
  ]
  expect(await paid({ orderId, token: null, legs })).toMatchObject({ state: 'confirmed', paid: [true, false] })
  expect(lamports(deposit)).toBe(100_000_000n)
})

test('behavior: of a refund only the leg that the chain refuses is left out, and legs that do not fit are refused', async () => {
  const { orderId } = await orderWith(null, 2_000_000_000n)
  const [small, large] = [solana.newAddress(), solana.newAddress()]
  const legs = [
    { to: small, amount: 100_000n },
    { to: large, amount: 500_000_000n },
  ]
  expect(await paid({ orderId, token: null, legs, reason: surplus })).toMatchObject({ state: 'confirmed', paid: [false, true] })
  expect([small, large].map(lamports)).toEqual([0n, 500_000_000n])
  const many = Array.from({ length: 60 }, () => ({ to: solana.newAddress(), amount: 1_000_000n }))
  expect(await paid({ orderId, token: null, legs: many, reason: surplus })).toMatchObject({ state: 'failed', cause: 'reverts' })
})

test('error: without the recipient’s leg nothing is paid, and a program is nobody’s account', async () => {
  const { orderId, deposit } = await orderWith(null, 1_000_000_000n)
  const fees = { to: solana.newAddress(), amount: 10_000_000n }
  for (const to of [solana.newAddress(), TOKEN_PROGRAM_ADDRESS]) {
    const amount = to === TOKEN_PROGRAM_ADDRESS ? 900_000_000n : 100_000n
    expect(await paid({ orderId, token: null, legs: [{ to, amount }, fees] })).toMatchObject({ state: 'failed', cause: 'reverts' })
  }
  expect(lamports(deposit)).toBe(1_000_000_000n)
})

test('behavior: a token account that is empty is closed, its rent is the operator’s, and one that is not empty stays', async () => {
  const { orderId, deposit } = await orderWith(solana.mint, 50_000_000n)
  const shop = solana.newAddress()
  const account = await tokenAccount(deposit, solana.token)
  await paid({ orderId, token: solana.mint, legs: [{ to: shop, amount: 40_000_000n }] })
  expect(lamports(account)).toBe(tokenRent)
  const before = lamports(operator)
  const outcome = await paid({ orderId, token: solana.mint, legs: [{ to: shop, amount: 10_000_000n }] })
  expect(lamports(account)).toBe(0n)
  expect(lamports(operator) - before).toBeGreaterThan(tokenRent - 50_000n)
  // It got more than it paid, and the network's own fee counts all the same.
  expect(outcome.state === 'confirmed' && outcome.fee).toBeLessThan(50_000n)
  expect(outcome.state === 'confirmed' && outcome.fee).toBeGreaterThan(0n)
})

test('behavior: a payment that arrives while a settlement is under way stays, and the settlement is signed again', async () => {
  const { orderId, deposit } = await orderWith(solana.mint, 50_000_000n)
  const end = proxy.become(async (calls) => {
    // It arrives between the signature, which closes the account, and the block.
    if (!calls.some(({ method }) => method === 'sendTransaction')) return undefined
    end()
    await solana.send(await solana.payment(solana.mint, deposit, 7_000_000n))
    return undefined
  })
  const shop = solana.newAddress()
  expect(await paid({ orderId, token: solana.mint, legs: [{ to: shop, amount: 50_000_000n }] })).toMatchObject({ state: 'confirmed' })
  solana.ledger.advance(finalAfter)
  expect(lamports(await tokenAccount(deposit, solana.token))).toBe(tokenRent)
})

/** Follows what arrives at this address. Each call reads on and returns all amounts so far. */
async function followed(deposit: string): Promise<() => Promise<bigint[]>> {
  const rpc = rpcClient({ chainId, urls: [proxy.url], timeoutMs: 10_000 })
  const config = { chainId, tokens: solana.tokens, confirmations: finalAfter + 1, slotSeconds: 0.4, pollMs: 1, wsUrls: [] } as const
  const notebook = createNotebook(() => undefined)
  notebook.watch(deposit)
  await watchAddress(sends.sql, chainId, deposit, solana.tokens)
  const follow = solanaFeed(config, rpc).follower({ sql: sends.sql, log: { warn: () => undefined }, observer: notebook.observer })
  return async () => {
    await follow(AbortSignal.timeout(60_000))
    return notebook.transfersTo(deposit).map(({ amount }) => amount)
  }
}

test('behavior: a payment that restores the balance which the feed knew before a settlement is reported all the same', async () => {
  const { orderId, deposit } = await orderWith(solana.mint, 50_000_000n)
  const amounts = await followed(deposit)
  await until(async () => (await amounts()).length === 1)
  await paid({ orderId, token: solana.mint, legs: [{ to: solana.newAddress(), amount: 50_000_000n }] })
  await solana.send(await solana.payment(solana.mint, deposit, 50_000_000n))
  solana.ledger.advance(1)
  await until(async () => (await amounts()).length === 2)
  expect(await amounts()).toEqual([50_000_000n, 50_000_000n])
})

test.each([1, 25])('behavior: %d payments before a settlement that the feed reads only after it are reported too', async (count) => {
  const { orderId, deposit } = await orderWith(solana.mint, 50_000_000n)
  const amounts = await followed(deposit)
  await until(async () => (await amounts()).length === 1)
  for (let i = 1; i <= count; i++) await solana.send(await solana.payment(solana.mint, deposit, BigInt(i)))
  await paid({ orderId, token: solana.mint, legs: [{ to: solana.newAddress(), amount: 50_000_000n }] })
  // Now the account has what the payments have brought, whether or not they were read.
  await until(async () => (await amounts()).length === count + 1)
  expect((await amounts()).reduce((sum, amount) => sum + amount, 0n)).toBe(50_000_000n + BigInt((count * (count + 1)) / 2))
})

test('behavior: what an account of a recipient has cost is stated, also if he has sent a part of the rent there before', async () => {
  for (const before of [0n, rent]) {
    const { orderId } = await orderWith(solana.mint, 50_000_000n)
    const shop = solana.newAddress()
    if (before > 0n) await solana.send(await solana.payment(null, await tokenAccount(shop, solana.token), before))
    const outcome = await paid({ orderId, token: solana.mint, legs: [{ to: shop, amount: 50_000_000n }] })
    expect(outcome).toMatchObject({ state: 'confirmed', opened: tokenRent - before })
  }
})

test('behavior: a node that has not seen the payment refuses nothing for good, and the settlement waits for it', async () => {
  const { orderId } = await orderWith(null, 1_000_000_000n)
  solana.ledger.advance(finalAfter)
  await sends.read()
  // It has seen nothing but the beginning of the chain.
  const lag = laggingNode(solana.ledger, 1_000)
  let asked = 0
  const end = proxy.become(async (calls) => {
    if (calls.some(({ method }) => method === 'getMultipleAccounts') && ++asked > 3) end()
    // A transfer from an account that has nothing.
    const err = { InstructionError: [2, { Custom: 1 }] }
    const poor = { context: { slot: 1 }, value: { err, logs: [], unitsConsumed: 0 } }
    return calls[0]?.method === 'simulateTransaction' ? calls.map(({ id }) => ({ id, result: poor })) : lag(calls)
  })
  const legs = [{ to: solana.newAddress(), amount: 1_000_000_000n }]
  expect(await paid({ orderId, token: null, legs })).toMatchObject({ state: 'confirmed', paid: [true] })
  expect(asked).toBeGreaterThan(1)
})
