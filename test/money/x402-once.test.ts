import fc from 'fast-check'
import { keccak256, toHex, type Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Order } from '../../src/wire/order.ts'
import type { PaymentPayload, PaymentRequirements } from '../../src/wire/x402.ts'
import { claim } from '../../server/incoming/x402/claim.ts'
import { offerAccepted } from '../../server/incoming/x402/offers.ts'
import { orderById } from '../../server/orders/order-queries.ts'
import { type LocalAccount, payers } from '../../local/chains/accounts.ts'
import { full, seed } from '../support/full.ts'
import { until } from '../support/wait.ts'
import {
  type Answer,
  bringToChain,
  encoded,
  offerOf,
  sign,
  startWorld,
  transferWithAuthorization,
  type World,
} from '../incoming/x402/support.ts'

/** However calls are repeated, interrupted or contradicted, the payers pay an order once. */
let world: World
beforeAll(async () => {
  world = await startWorld({ waitMs: 700 })
})
beforeEach(async () => {
  await world.test.automine(true)
})
afterAll(() => world?.close())

const [alice, bob, carol, thirdParty] = payers as [LocalAccount, LocalAccount, LocalAccount, LocalAccount]
const price = 42_500_000n
const pageNonce = (orderId: string): Hex => keccak256(toHex(`till:x402:${orderId}`))

const completed = (orderId: string) =>
  until(
    async () => {
      await world.test.mine()
      const now = await world.get(orderId)
      return now.status === 'COMPLETED' ? now : undefined
    },
    { what: `${orderId} is completed` },
  )

/** Retries until the answer is final because a busy machine may exceed the waiting time. */
const paid = (orderId: string, payload: PaymentPayload): Promise<Answer> =>
  until(async () => {
    const answer = await world.complete(orderId, encoded(payload))
    return answer.status === 200 ? answer : undefined
  })

/** Measures what leaves the accounts while `work` runs. */
async function spentBy(accounts: readonly LocalAccount[], work: () => Promise<unknown>): Promise<bigint> {
  const sum = async () => (await Promise.all(accounts.map(({ address }) => world.balance(address)))).reduce((a, b) => a + b, 0n)
  const before = await sum()
  await work()
  return before - (await sum())
}

test('behavior: one signature sent ten times at once makes one transfer and one answer', async () => {
  const order = await world.order()
  const payload = await sign(await offerOf(world, order.id), { payer: alice })
  const header = encoded(payload)
  const spent = await spentBy([alice], async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => world.complete(order.id, header)))
    expect(answers.map(({ status }) => status).every((status) => status === 200 || status === 202)).toBe(true)
    // A busy machine may answer before the broadcast, when there is no transaction to name yet.
    const final = await paid(order.id, payload)
    expect([...new Set(answers.map(({ response }) => response?.transaction || final.response?.transaction))]).toEqual([
      final.response?.transaction,
    ])
    await completed(order.id)
  })
  expect(spent).toBe(price)
})

test('behavior: of several concurrent signatures, by one account or by several, one pays', async () => {
  const order = await world.order()
  const offer = await offerOf(world, order.id)
  const signed = await Promise.all([alice, alice, bob, carol].map((payer) => sign(offer, { payer })))
  const spent = await spentBy([alice, bob, carol], async () => {
    const answers = await Promise.all(signed.map((payload) => world.complete(order.id, encoded(payload))))
    expect(answers.map(({ status }) => (status === 202 ? 200 : status)).sort()).toEqual([200, 409, 409, 409])
    await completed(order.id)
  })
  expect(spent).toBe(price)
})

test('behavior: a nonce claimed by another order is refused, and the order stays open to any other signature', async () => {
  const [first, second] = await Promise.all([world.order(), world.order()])
  const nonce = pageNonce(first.id)
  const payload = await sign(await offerOf(world, first.id), { payer: alice, nonce })
  const again = await sign(await offerOf(world, second.id), { payer: alice, nonce })
  await world.test.automine(false)
  expect(await world.complete(first.id, encoded(payload))).toMatchObject({ status: 202 })
  const { sql } = world.running.engine
  const before = await orderById(sql, second.id)
  expect(await world.complete(second.id, encoded(again))).toMatchObject({ status: 409 })
  expect(await orderById(sql, second.id)).toEqual(before)
  await world.test.automine(true)
  await paid(first.id, payload)
  await paid(second.id, await sign(await offerOf(world, second.id), { payer: bob }))
  await Promise.all([first, second].map(({ id }) => completed(id)))
})

test('behavior: a receipt that does not come in time is a 202 that asks for no signature, and later a 200', async () => {
  const order = await world.order()
  const offer = await offerOf(world, order.id)
  const payload = await sign(offer, { payer: alice })
  const spent = await spentBy([alice, bob], async () => {
    await world.test.automine(false)
    // A busy machine may answer before the broadcast, when there is no transaction to name yet.
    const first = await until(async () => {
      const answer = await world.complete(order.id, encoded(payload))
      return answer.status === 202 && !answer.response?.transaction ? undefined : answer
    })
    expect(first).toMatchObject({
      status: 202,
      required: undefined,
      response: { success: false, errorReason: 'settlement_pending', payer: privateKeyToAccount(alice.private_key).address },
      body: { order: { id: order.id } },
    })
    expect(first.response?.transaction).toMatch(/^0x[0-9a-f]{64}$/)
    expect(await world.complete(order.id, encoded(payload))).toMatchObject({ status: 202, response: first.response })
    expect(await world.complete(order.id)).toMatchObject({ status: 402, required: { accepts: [], error: 'order_not_payable' } })
    expect(await world.complete(order.id, encoded(await sign(offer, { payer: bob })))).toMatchObject({ status: 409 })
    expect(await world.complete(order.id, encoded(await sign(offer, { payer: alice })))).toMatchObject({ status: 409 })
    await world.test.automine(true)
    await world.test.mine()
    expect((await paid(order.id, payload)).response).toMatchObject({ success: true, transaction: first.response?.transaction })
    await completed(order.id)
  })
  expect(spent).toBe(price)
})

test('behavior: the watcher records the payment even if the client never asks again', async () => {
  const order = await world.order()
  const payload = await sign(await offerOf(world, order.id), { payer: alice })
  await world.test.automine(false)
  expect(await world.complete(order.id, encoded(payload))).toMatchObject({ status: 202 })
  await world.test.automine(true)
  await completed(order.id)
})

/** Broadcasts with a higher tip, so that this transaction precedes ours in the same block. */
async function ahead(from: LocalAccount, functionName: string, args: readonly unknown[], abi: readonly object[]): Promise<Hex> {
  const { createWalletClient, http } = await import('viem')
  const wallet = createWalletClient({ account: privateKeyToAccount(from.private_key), transport: http(world.test.anvil.rpcUrl) })
  return wallet.writeContract({
    address: world.dollar,
    abi,
    functionName,
    args,
    chain: null,
    gas: 300_000n,
    maxFeePerGas: 500_000_000_000n,
    maxPriorityFeePerGas: 100_000_000_000n,
  } as never)
}

test('behavior: a front-run broadcast of the same signature is still one payment, and it counts', async () => {
  const order = await world.order()
  const payload = await sign(await offerOf(world, order.id), { payer: alice })
  const { authorization: a, signature } = payload.payload
  const spent = await spentBy([alice], async () => {
    await world.test.automine(false)
    expect(await world.complete(order.id, encoded(payload))).toMatchObject({ status: 202 })
    const txHash = await ahead(
      thirdParty,
      'transferWithAuthorization',
      [a.from, a.to, BigInt(a.value), BigInt(a.validAfter), BigInt(a.validBefore), a.nonce, signature],
      transferWithAuthorization,
    )
    await world.test.automine(true)
    await world.test.mine()
    const answer = await until(async () => {
      const answer = await world.complete(order.id, encoded(payload))
      return answer.status !== 202 && answer
    })
    expect(answer).toMatchObject({ status: 200, response: { success: true, transaction: txHash } })
    await completed(order.id)
  })
  expect(spent).toBe(price)
})

describe('a signature that failed on the chain', () => {
  /** Moves the payer's money away in the very block that was to contain the payment. */
  const drained = async (): Promise<{ order: Order; offer: PaymentRequirements; payload: PaymentPayload; poor: LocalAccount }> => {
    const private_key = keccak256(toHex(`poor ${Math.random()}`))
    const poor = { private_key, address: privateKeyToAccount(private_key).address }
    await world.test.sendToken(bob, 'USDC', poor.address, price)
    await world.test.sendNative(bob, poor.address, 10n ** 18n)
    const order = await world.order()
    const offer = await offerOf(world, order.id)
    const payload = await sign(offer, { payer: poor, validBefore: Math.floor(Date.now() / 1000) + 300 })
    await world.test.automine(false)
    expect(await world.complete(order.id, encoded(payload))).toMatchObject({ status: 202 })
    await ahead(
      poor,
      'transfer',
      [bob.address, price],
      [
        {
          type: 'function',
          name: 'transfer',
          inputs: [{ type: 'address' }, { type: 'uint256' }],
          outputs: [{ type: 'bool' }],
          stateMutability: 'nonpayable',
        },
      ],
    )
    await world.test.automine(true)
    await world.test.mine()
    return { order, offer, payload, poor }
  }

  test('behavior: reports why, and is retried when the money is there', async () => {
    const { order, offer, payload, poor } = await drained()
    const refused = await until(async () => {
      const answer = await world.complete(order.id, encoded(payload))
      return answer.status === 402 && answer
    })
    expect(refused).toMatchObject({
      required: { error: 'invalid_exact_evm_insufficient_balance' },
      response: { success: false, errorReason: 'invalid_exact_evm_insufficient_balance', network: 'eip155:8453' },
    })
    // The signature can still be broadcast by anyone, so another one has to wait.
    expect(await world.complete(order.id, encoded(await sign(offer, { payer: alice })))).toMatchObject({ status: 409 })
    expect(await world.complete(order.id)).toMatchObject({ status: 402, required: { accepts: [] } })
    await world.test.sendToken(bob, 'USDC', poor.address, price)
    await paid(order.id, payload)
    await completed(order.id)
    expect(await world.balance(poor.address)).toBe(0n)
  })

  test('behavior: makes way for another one as soon as it provably cannot move money any more', async () => {
    const { order, offer, payload } = await drained()
    await until(async () => (await world.complete(order.id, encoded(payload))).status === 402)
    const other = await sign(offer, { payer: alice, validBefore: Math.floor(Date.now() / 1000) + 800 })
    const another = encoded(other)
    expect(await world.complete(order.id, another)).toMatchObject({ status: 409 })
    await world.test.anvil.ask(['evm_increaseTime', 330])
    await world.test.mine(1)
    // The signature has expired, but the block that proves it may still be dropped.
    expect(await world.complete(order.id, another)).toMatchObject({ status: 409 })
    await world.test.mine(2)
    const spent = await spentBy([alice], async () => {
      await paid(order.id, other)
      await completed(order.id)
    })
    expect(spent).toBe(price)
    expect(await world.complete(order.id, encoded(payload))).toMatchObject({ status: 409 })
  })
})

test('behavior: a crash between the commit and the broadcast, and a crash after it, pay once', async () => {
  for (const when of ['before', 'after'] as const) {
    const order = await world.order()
    const payload = await sign(await offerOf(world, order.id), { payer: alice, validBefore: Math.floor(Date.now() / 1000) + 800 })
    const spent = await spentBy([alice], async () => {
      if (when === 'before') {
        // The transaction is committed and never broadcast, as by a process that died in between.
        const { engine } = world.running
        const state = (await orderById(engine.sql, order.id))!
        const offer = offerAccepted(engine, state, payload.accepted, Date.now())!
        const payment = engine.chains.get(8453)!.x402!.read(payload)!
        world.nodeFailures.percent = 100
        await claim(engine, order.id, payment, offer, { transferGas: 300_000n, preparationGas: 0n, allowedFactories: [] })
        await world.restart()
        world.nodeFailures.percent = 0
      } else {
        await world.test.automine(false)
        expect(await world.complete(order.id, encoded(payload))).toMatchObject({ status: 202 })
        await world.restart()
        await world.test.automine(true)
        await world.test.mine()
      }
      await paid(order.id, payload)
      await completed(order.id)
    })
    expect(spent).toBe(price)
  }
})

test('behavior: a receipt whose block is dropped is pending again, and then paid once', async () => {
  const order = await world.order()
  const payload = await sign(await offerOf(world, order.id), { payer: alice, validBefore: Math.floor(Date.now() / 1000) + 800 })
  const spent = await spentBy([alice], async () => {
    await paid(order.id, payload)
    await world.test.reorg(1)
    await until(async () => {
      const { status } = await world.complete(order.id, encoded(payload))
      await world.test.mine()
      return status === 200
    })
    await completed(order.id)
  })
  expect(spent).toBe(price)
})

test('behavior: where it is configured, the first receipt is reported as OPTIMISTIC_CONFIRMED', async () => {
  const early = await startWorld({ acceptEarly: true })
  try {
    const order = await early.order()
    const answer = await early.complete(order.id, encoded(await sign(await offerOf(early, order.id), { payer: alice })))
    expect(answer).toMatchObject({ status: 200, body: { order: { status: 'OPTIMISTIC_CONFIRMED' } } })
  } finally {
    await early.close()
  }
})

/**
 * Everything that tabs, reloads, time-outs and silence can do, in any order and concurrently. `page` signs as our page does (one nonce per
 * order), `wallet` as any client does (a new nonce each time).
 */
const step = fc.oneof(
  fc.record({ do: fc.constant('send' as const), who: fc.nat(3), times: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ do: fc.constant('fresh' as const), who: fc.nat(3) }),
  fc.record({ do: fc.constant('thirdParty' as const), who: fc.nat(3) }),
  fc.record({ do: fc.constant('mining' as const), on: fc.boolean() }),
  fc.record({ do: fc.constant('nodeFailures' as const), percent: fc.constantFrom(0, 30, 100) }),
  fc.record({ do: fc.constant('restart' as const) }),
  fc.record({ do: fc.constant('reorg' as const) }),
)

const stepWithPause = fc.tuple(step, fc.integer({ min: 0, max: 30 })).map(([action, pauseMs]) => ({ ...action, pauseMs }))

test(
  'behavior: explored: whatever happens in between, the payers pay once or not at all',
  { timeout: full ? 900_000 : 400_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(stepWithPause, { minLength: 3, maxLength: 9 }), async (steps) => {
        const order = await world.order()
        const offer = await offerOf(world, order.id)
        const validBefore = Math.floor(Date.now() / 1000) + 800
        const signed = await Promise.all([
          sign(offer, { payer: alice, validBefore, nonce: pageNonce(order.id) }),
          sign(offer, { payer: alice, validBefore: validBefore + 1, nonce: pageNonce(order.id) }),
          sign(offer, { payer: alice, validBefore }),
          sign(offer, { payer: bob, validBefore, nonce: pageNonce(order.id) }),
        ])
        let thirdPartySends = 0
        const spent = await spentBy([alice, bob], async () => {
          const underWay: Promise<unknown>[] = []
          for (const { pauseMs, ...action } of steps) {
            switch (action.do) {
              case 'send':
                for (let i = 0; i < action.times; i++)
                  underWay.push(world.complete(order.id, encoded(signed[action.who])).catch(() => undefined))
                break
              case 'fresh': {
                const { required } = await world.complete(order.id).catch(() => ({ required: undefined }))
                if (required?.accepts[0]) underWay.push(world.complete(order.id, encoded(signed[action.who])).catch(() => undefined))
                break
              }
              case 'thirdParty':
                // Only one payer's signature is broadcast from outside, because two of them would both pay and no service can prevent that.
                if (thirdPartySends++ === 0 && action.who < 2)
                  await bringToChain(world, thirdParty, signed[action.who]!).catch(() => undefined)
                break
              case 'mining':
                await world.test.automine(action.on)
                break
              case 'nodeFailures':
                world.nodeFailures.percent = action.percent
                break
              case 'restart':
                await world.restart()
                break
              case 'reorg':
                await world.test.mine(1)
                await world.test.reorg(1)
                break
              default:
                action satisfies never
            }
            await new Promise((resolve) => setTimeout(resolve, pauseMs))
          }
          world.nodeFailures.percent = 0
          await world.test.automine(true)
          await world.test.mine()
          await Promise.all(underWay)
          const { sql } = world.running.engine
          await until(async () => {
            await world.test.mine()
            const [open] = await sql`select 1 from sends where order_id = ${order.id} and state not in ('confirmed', 'refused')`
            return !open
          })
        })
        // A third party may broadcast one payer's signature while another's is in flight. The service cannot prevent that and books a
        // surplus.
        expect([0n, price, ...(thirdPartySends > 0 ? [2n * price] : [])]).toContain(spent)
        if (spent > 0n) await completed(order.id)
      }),
      { numRuns: full ? 100 : 16, endOnFailure: true, seed },
    )
  },
)
