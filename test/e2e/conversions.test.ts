import { parseUnits } from 'viem'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { owner, payers } from '../../local/chains/accounts.ts'
import { exchange } from '../../local/chains/uniswap.ts'
import { TestDollar } from '../../server/chains/evm/contracts/artifacts/TestDollar.ts'
import { TestTether } from '../../server/chains/evm/contracts/artifacts/TestTether.ts'
import type { Client } from '../support/client/client.ts'
import { checkout, expectBooks, untilStatus } from '../support/orders/payments.ts'
import { type Process, type Stage, startStage } from '../support/service/stage.ts'
import { until } from '../support/wait.ts'

/** Conversions that something stops half-way: money is held and reported, and the next attempt continues where the last one ended. */

let stage: Stage
let process: Process
beforeAll(async () => {
  stage = await startStage()
  process = await stage.start()
})
afterAll(async () => {
  await stage?.close()
})

const payer = payers[1]!
const someone = () => privateKeyToAddress(generatePrivateKey()).toLowerCase()
const at = (address: string | null) => ({ chain_id: 8453, address })
const token = (symbol: string) => stage.base.token(symbol)
async function balance(address: string | null, account: string): Promise<bigint> {
  const { chain } = stage.base
  const { number } = await chain.head(AbortSignal.timeout(60_000))
  return (await chain.balances([account], address, number, AbortSignal.timeout(60_000)))[0]!
}
/** Makes the next try of a failed settlement due, as if its back-off had passed. */
const retry = (id: string) =>
  stage.database
    .sql`update orders set state = jsonb_set(state, '{failure,at}', to_jsonb((state #>> '{failure,at}')::bigint - 86400000)), next_tick = now() where id = ${id} and status = 'FAILED'`
async function retryUntilCompleted(client: Client, id: string) {
  await until(async () => (await retry(id), (await client.ask('getOrder', { params: { order_id: id } })).status === 'COMPLETED'), {
    every: 300,
    timeout: 60_000,
    what: `${id} is COMPLETED`,
  })
  await until(() => expectBooks(stage, [id]).then(() => true))
}
async function announced(id: string): Promise<string[]> {
  const rows = await stage.database.sql<
    { event: string }[]
  >`select body::json->>'event' as event from events where order_id = ${id} order by seq`
  return rows.map(({ event }) => event)
}

describe('the coin and what wraps it', () => {
  test('default: wrapped coin pays an order that settles in coin, one for one', async () => {
    const merchant = await stage.merchant({ settlement: { address: null } })
    const client = merchant.at(process)
    const order = await checkout(client, { amount: '0.5' }, { source: at(token('WETH')) })
    await stage.base.sendToken(payer, 'WETH', order.deposit, order.required)
    await untilStatus(client, order.id, 'COMPLETED')
    // What the payer was asked for beyond it, in case the price moves, is the recipient's too.
    expect(await balance(null, merchant.recipient)).toBe(order.required)
    expect(order.required).toBeGreaterThanOrEqual(parseUnits('0.5', 18))
    await until(() => expectBooks(stage, [order.id]).then(() => true))
  })

  test('behavior: and coin one that settles in wrapped coin', async () => {
    const merchant = await stage.merchant({ settlement: { address: token('WETH') } })
    const client = merchant.at(process)
    const order = await checkout(client, { amount: '0.5' }, { source: at(null) })
    await stage.base.sendNative(payer, order.deposit, order.required)
    await untilStatus(client, order.id, 'COMPLETED')
    expect(await balance(token('WETH'), merchant.recipient)).toBe(order.required)
    await until(() => expectBooks(stage, [order.id]).then(() => true))
  })
})

describe('what stops a conversion', () => {
  const dollar = (functionName: string, ...args: unknown[]) =>
    stage.base.call(owner, { address: token('USDC'), abi: TestDollar.abi, functionName, args })

  test('behavior: a router that fails: held and reported, and routed anew once it works', async () => {
    const merchant = await stage.merchant()
    const client = merchant.at(process)
    const [code] = await stage.base.anvil.ask(['eth_getCode', exchange.router, 'latest'])
    const order = await checkout(client, { amount: '50', fiat_unit: 'usd' }, { source: at(token('DAI')) })
    // INVALID: whoever calls it burns the gas.
    await stage.base.anvil.ask(['anvil_setCode', exchange.router, '0xfe'])
    try {
      await stage.base.sendToken(payer, 'DAI', order.deposit, order.required)
      const failed = await untilStatus(client, order.id, 'FAILED')
      expect(failed.payment?.held).toMatchObject([{ currency: { symbol: 'DAI' }, amount: { raw: String(order.required) } }])
      expect(await announced(order.id)).toContain('ORDER_ERROR')
      expect(await balance(token('DAI'), order.deposit)).toBe(order.required)
      // It fails again, and nothing is lost by it.
      await retry(order.id)
      await until(async () => (await announced(order.id)).filter((event) => event === 'ORDER_ERROR').length > 1)
    } finally {
      await stage.base.anvil.ask(['anvil_setCode', exchange.router, code])
    }
    await retryUntilCompleted(client, order.id)
    expect(await balance(token('USDC'), merchant.recipient)).toBeGreaterThanOrEqual(50_000_000n)
    // Every try is a signature of its own, for a route of its own moment.
    const [sends] = await stage.database.sql`select count(*)::int as n from sends where order_id = ${order.id} and kind = 'settlement'`
    expect(sends?.n).toBeGreaterThanOrEqual(3)
  })

  test('behavior: a dollar that is paused when it should be bought: the payer’s token is held and reported, and converted later', async () => {
    const merchant = await stage.merchant()
    const client = merchant.at(process)
    const order = await checkout(client, { amount: '50', fiat_unit: 'usd' }, { source: at(token('USDT')) })
    await dollar('pause')
    try {
      await stage.base.sendToken(payer, 'USDT', order.deposit, order.required)
      const failed = await untilStatus(client, order.id, 'FAILED')
      expect(failed.payment?.held).toMatchObject([{ currency: { symbol: 'USDT' }, amount: { raw: String(order.required) } }])
      expect(await announced(order.id)).toContain('ORDER_ERROR')
    } finally {
      await dollar('unpause')
    }
    await retryUntilCompleted(client, order.id)
    expect(await balance(token('USDC'), merchant.recipient)).toBeGreaterThanOrEqual(50_000_000n)
  })

  test('behavior: a recipient who is blacklisted in the middle: what was bought is held and reported, and paid later without converting again', async () => {
    const merchant = await stage.merchant()
    const client = merchant.at(process)
    const order = await checkout(client, { amount: '50', fiat_unit: 'usd' }, { source: at(token('USDT')) })
    await dollar('blacklist', merchant.recipient)
    await stage.base.sendToken(payer, 'USDT', order.deposit, order.required)
    const failed = await untilStatus(client, order.id, 'FAILED')
    const bought = await balance(token('USDC'), order.deposit)
    expect(bought).toBeGreaterThanOrEqual(50_000_000n)
    expect(await balance(token('USDT'), order.deposit)).toBe(0n)
    expect(failed.payment?.held).toMatchObject([{ currency: { symbol: 'USDC' }, amount: { raw: String(bought) } }])
    expect(await announced(order.id)).toContain('ORDER_ERROR')
    await until(() => expectBooks(stage, [order.id]).then(() => true))
    await dollar('unBlacklist', merchant.recipient)
    await retryUntilCompleted(client, order.id)
    expect(await balance(token('USDC'), merchant.recipient)).toBe(bought)
  })

  test('behavior: a fee collector who is blacklisted in the middle does not keep the recipient from his money', async () => {
    const collector = someone()
    const merchant = await stage.merchant({
      fees: { customBps: 100, protocolBps: 0, relayerUsd: '0', gasUsd: '0' },
      settlement: { feeCollector: collector },
    })
    const client = merchant.at(process)
    const order = await checkout(client, { amount: '50', fiat_unit: 'usd' }, { source: at(token('USDT')) })
    await dollar('blacklist', collector)
    await stage.base.sendToken(payer, 'USDT', order.deposit, order.required)
    await untilStatus(client, order.id, 'COMPLETED')
    expect(await balance(token('USDC'), merchant.recipient)).toBeGreaterThanOrEqual(50_000_000n)
    expect(await balance(token('USDC'), order.deposit)).toBe(500_000n)
    await until(() => expectBooks(stage, [order.id]).then(() => true))
    await dollar('unBlacklist', collector)
  })
})

describe('tokens that take a part of what is sent, or change what is held', () => {
  const tether = (functionName: string, ...args: unknown[]) =>
    stage.base.call(owner, { address: token('USDT'), abi: TestTether.abi, functionName, args })
  /** The token takes a thousandth of every transfer, and its event names what arrives. */
  const takeFees = () => tether('setParams', 10n, 5n)
  const takeNone = () => tether('setParams', 0n, 0n)

  test('behavior: what arrives counts, and a pool that would get less converts nothing', async () => {
    const merchant = await stage.merchant()
    const client = merchant.at(process)
    const order = await checkout(client, { amount: '50', fiat_unit: 'usd' }, { source: at(token('USDT')) })
    await takeFees()
    try {
      await stage.base.sendToken(payer, 'USDT', order.deposit, order.required)
      const part = await untilStatus(client, order.id, 'PARTIAL_PAYMENT')
      const arrived = order.required - order.required / 1_000n
      expect(part.payment?.funding?.received_amount.raw).toBe(String(arrived))
      await stage.base.sendToken(payer, 'USDT', order.deposit, 1_000_000n)
      const failed = await untilStatus(client, order.id, 'FAILED')
      const held = arrived + 999_000n
      expect(failed.payment?.held).toMatchObject([{ currency: { symbol: 'USDT' }, amount: { raw: String(held) } }])
      expect(await balance(token('USDT'), order.deposit)).toBe(held)
    } finally {
      await takeNone()
    }
    await retryUntilCompleted(client, order.id)
    expect(await balance(token('USDC'), merchant.recipient)).toBeGreaterThanOrEqual(50_000_000n)
  })

  test('behavior: a merchant who is paid in such a token bears its fee, and nothing stays at the address', async () => {
    const merchant = await stage.merchant({ settlement: { address: token('USDT') } })
    const client = merchant.at(process)
    const order = await checkout(client, { amount: '50', fiat_unit: 'usd' }, { source: at(token('USDT')) })
    await stage.base.sendToken(payer, 'USDT', order.deposit, order.required - 1n)
    await untilStatus(client, order.id, 'PARTIAL_PAYMENT')
    await takeFees()
    try {
      await stage.base.sendToken(payer, 'USDT', order.deposit, 1n)
      await untilStatus(client, order.id, 'COMPLETED')
    } finally {
      await takeNone()
    }
    expect(await balance(token('USDT'), merchant.recipient)).toBe(order.required - order.required / 1_000n)
    await until(() => expectBooks(stage, [order.id]).then(() => true))
  })

  test('behavior: a balance that shrinks by itself pays nobody a part of it, and pays once it is whole again', async () => {
    const merchant = await stage.merchant()
    const client = merchant.at(process)
    const order = await checkout(client, { amount: '50', fiat_unit: 'usd' }, { source: at(token('DAI')) })
    await stage.base.sendToken(payer, 'DAI', order.deposit, order.required - 1n)
    await untilStatus(client, order.id, 'PARTIAL_PAYMENT')
    const become = (amount: bigint) => stage.base.anvil.ask(['anvil_dealERC20', order.deposit, token('DAI'), `0x${amount.toString(16)}`])
    await become(order.required / 2n)
    await stage.base.sendToken(payer, 'DAI', order.deposit, 1n)
    await untilStatus(client, order.id, 'FAILED')
    expect(await balance(token('DAI'), order.deposit)).toBe(order.required / 2n + 1n)
    expect(await balance(token('USDC'), merchant.recipient)).toBe(0n)
    await become(order.required)
    await retryUntilCompleted(client, order.id)
    expect(await balance(token('USDC'), merchant.recipient)).toBeGreaterThanOrEqual(50_000_000n)
  })
})
