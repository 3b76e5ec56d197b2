import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { payers } from '../../local/chains/accounts.ts'
import { operate } from '../../server/operator/operate.ts'
import type { TestChain } from '../chains/support.ts'
import { checkout, type Checkout, untilStatus } from '../support/orders/payments.ts'
import { type Merchant, type Process, type Stage, startStage } from '../support/service/stage.ts'

/** The service is gone for good, with its keys and its database. What is left are the chains, and the terms that somebody has kept. */

const someone = () => privateKeyToAddress(generatePrivateKey()).toLowerCase()
const folder = mkdtempSync(join(tmpdir(), 'till-killed-'))
let stage: Stage
let processes: Process[]
let merchant: Merchant
beforeAll(async () => {
  stage = await startStage()
  processes = [await stage.start(), await stage.start()]
  const feeCollector = someone()
  merchant = await stage.merchant({
    settlements: [
      { chainId: 8453, address: stage.base.token('USDC'), recipient: someone(), feeCollector },
      { chainId: 8453, address: null, recipient: someone(), feeCollector },
      { chainId: 1, address: stage.ethereum.token('USDC'), recipient: someone(), feeCollector },
    ],
    fees: { customBps: 100, protocolBps: 0, relayerUsd: '0', gasUsd: '0' },
  })
})
afterAll(async () => {
  await stage?.close()
  rmSync(folder, { recursive: true, force: true })
})

const from = payers[0]!
/** What is sent to a deposit address, by the place of the settlement that takes it. */
type Payment = (order: Checkout) => Promise<void>
const inUsdc: Payment = async ({ deposit, required }) => void (await stage.base.sendToken(from, 'USDC', deposit, required))
const inCoin: Payment = async ({ deposit, required }) => void (await stage.base.sendNative(from, deposit, required))
const onEthereum: Payment = async ({ deposit, required }) => void (await stage.ethereum.sendToken(from, 'USDC', deposit, required))
const tooMuch: Payment = (order) => inUsdc({ ...order, required: order.required + 7_000_000n })
const tooLittle: Payment = (order) => inUsdc({ ...order, required: order.required / 3n })
const onTwoChains: Payment = async (order) => {
  await tooLittle(order)
  await onEthereum({ ...order, required: order.required / 2n })
}

async function balance({ chain }: TestChain, token: string | null, of: string): Promise<bigint> {
  const { number } = await chain.head(AbortSignal.timeout(60_000))
  return (await chain.balances([of], token, number, AbortSignal.timeout(60_000)))[0] ?? 0n
}

test('behavior: after every process was killed for good, a stranger releases all money to its recipients', async () => {
  const settlements = merchant.organization.settlements
  const chainOf = (chainId: number) => (chainId === 1 ? stage.ethereum : stage.base)
  const client = merchant.at(processes[0]!)
  const make = (place = 0) => {
    const { chainId, address } = settlements[place]!
    return checkout(client, { amount: '30', fiat_unit: 'usd' }, { source: { chain_id: chainId, address } })
  }
  const settled = await make()
  const surplus = await make()
  const partial = await make()
  const later = [
    { order: await make(), pay: inUsdc },
    { order: await make(), pay: tooMuch },
    { order: await make(), pay: tooLittle },
    { order: await make(1), pay: inCoin },
    { order: await make(2), pay: onEthereum },
    { order: await make(), pay: onTwoChains },
    { order: settled, pay: inUsdc },
    { order: partial, pay: tooLittle },
  ]
  await inUsdc(settled)
  await tooMuch(surplus)
  await tooLittle(partial)
  await Promise.all([
    untilStatus(client, settled.id, 'COMPLETED'),
    untilStatus(client, surplus.id, 'COMPLETED'),
    untilStatus(client, partial.id, 'PARTIAL_PAYMENT'),
  ])
  const orders = [...new Set([settled, surplus, partial, ...later.map(({ order }) => order)])]
  const files = orders.map(({ id, created }) => {
    const file = join(folder, `${id}.json`)
    writeFileSync(file, JSON.stringify(created.terms))
    return file
  })

  // This payment may be under way while the processes die, and all others arrive when nobody looks any more.
  await later[0]!.pay(later[0]!.order)
  await Promise.all(processes.map(({ service }) => service.kill9()))
  for (const { order, pay } of later.slice(1)) await pay(order)

  const stranger = generatePrivateKey()
  const releaseAt = Math.max(...orders.map(({ created }) => created.terms!.release_at))
  const refused: unknown[] = []
  await Promise.all(
    [stage.base, stage.ethereum].map(async ({ anvil }) => {
      await anvil.ask(['anvil_setBalance', privateKeyToAddress(stranger), '0xde0b6b3a7640000'])
      await anvil.ask(['evm_setNextBlockTimestamp', releaseAt + 1], ['evm_mine'])
      for (const file of files)
        await operate(['release', file, '--rpc', anvil.rpcUrl], { TILL_RELEASE_KEY: stranger }, () => {}).catch((error: unknown) =>
          refused.push([file, error]),
        )
    }),
  )
  expect(refused).toEqual([])

  for (const { chainId, address } of settlements)
    for (const { id, deposit } of orders)
      expect([id, chainId, await balance(chainOf(chainId), address, deposit)]).toEqual([id, chainId, 0n])
  const received = await Promise.all(settlements.map(({ chainId, address, recipient }) => balance(chainOf(chainId), address, recipient)))
  const fees = await balance(stage.base, settlements[0].address, settlements[0].feeCollector)
  const third = settled.required / 3n
  const whole = settled.required
  // On Base there were five whole payments, two of them with a surplus, and four thirds of one.
  expect(received[0]! + fees).toBe(whole * 5n + 2n * 7_000_000n + third * 4n)
  expect(received.slice(1)).toEqual([later[3]!.order.required, later[4]!.order.required + later[5]!.order.required / 2n])
  // Only what the service had settled has paid a fee: no release does.
  expect(fees % 300_000n).toBe(0n)
  expect(fees).toBeLessThanOrEqual(900_000n)
})
