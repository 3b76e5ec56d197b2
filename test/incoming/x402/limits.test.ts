import { concatHex, encodeAbiParameters, encodeDeployData, getContractAddress, keccak256, type Hex, toHex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { PaymentRequirements } from '../../../src/wire/x402.ts'
import { TestBurner } from '../../../server/chains/evm/contracts/artifacts/TestBurner.ts'
import { type LocalAccount, payers } from '../../../local/chains/accounts.ts'
import { until } from '../../support/wait.ts'
import { completeAtLast, encoded, offerOf, sign, startWorld, type World } from './support.ts'

/** A hostile payer's cost to others is bounded: limited gas for the operator, minutes for his order, nothing for other orders. */

const factory = '0x4e59b44847b379578588920ca78fbf26c0b4956c'
const [alice, bob] = payers as [LocalAccount, LocalAccount]
const soon = (seconds: number) => Math.floor(Date.now() / 1000) + seconds

let world: World
beforeAll(async () => {
  world = await startWorld({ waitMs: 3_000, env: { X402_WALLET_FACTORIES: factory } })
})
afterAll(() => world?.close())

/** Deploys a wallet that holds the price, accepts any signature, and burns this much gas when simulated and when sent. */
async function burner(whenAsked: bigint, whenSent: bigint, refusesWhenSent = false): Promise<string> {
  const wallet = (await world.test.deploy(TestBurner)).toLowerCase()
  await world.test.call(bob, { address: wallet, abi: TestBurner.abi, functionName: 'set', args: [whenAsked, whenSent, refusesWhenSent] })
  await world.test.sendToken(bob, 'USDC', wallet, 50_000_000n)
  return wallet
}
const signedBy = (offer: PaymentRequirements, from: string, validBefore = soon(600)) => sign(offer, { payer: alice, from, validBefore })
const sendsOf = (orderId: string) =>
  world.running.engine.sql<{ nonce: number | null; state: string; kind: string; gas_used: string | null }[]>`
    select nonce::int, state, kind, gas_used::text from sends where order_id = ${orderId} order by position`
const gasSignedFor = async (orderId: string) =>
  (
    await world.running.engine.sql<{ gas: string }[]>`
      select gas::text from send_attempts join sends on sends.id = send_id where order_id = ${orderId} and kind = 'x402'`
  ).map(({ gas }) => BigInt(gas))
const askForDai = (orderId: string) =>
  world.client.ask('requestPayment', {
    params: { order_id: orderId },
    body: { source: { currency: { chain_id: 8453, address: world.test.token('DAI') }, payment_rail: 'CRYPTO' } },
  })

test.for([
  ['more than the cap', 1_000_000n],
  ['nearly all that a block has', 25_500_000n],
  ['more than a block has', 40_000_000n],
] as const)(
  'error: a wallet whose signature takes %s is refused before anything is claimed, and other orders are unaffected',
  async ([, gas]) => {
    const order = await world.order()
    const offer = await offerOf(world, order.id)
    const answer = await world.complete(order.id, encoded(await signedBy(offer, await burner(gas, gas))))
    expect(answer.status).toBe(402)
    // Above the gas limit of simulations the signature cannot be checked, so the reason differs.
    if (gas < 5_000_000n) {
      expect(answer.required?.error).toBe('gas_limit_exceeded')
      expect(answer.body.message).toMatch(/network fees/)
    }
    expect(await sendsOf(order.id)).toHaveLength(0)
    expect((await world.complete(order.id)).required?.accepts).toHaveLength(1)
    expect(await completeAtLast(world, order.id, encoded(await sign(offer, { payer: bob })))).toMatchObject({ status: 200 })
  },
)

test('behavior: a wallet that is cheap to estimate and expensive to run never gets more gas than the cap', async () => {
  const order = await world.order()
  await world.complete(order.id, encoded(await signedBy(await offerOf(world, order.id), await burner(0n, 10_000_000n))))
  await until(async () => {
    await world.test.mine()
    return (await sendsOf(order.id))[0]?.state === 'confirmed'
  })
  const [send] = await sendsOf(order.id)
  expect(Number(send!.gas_used)).toBeLessThanOrEqual(300_000)
  expect((await gasSignedFor(order.id)).every((gas) => gas <= 300_000n)).toBe(true)
})

test('behavior: a signature that fails on the chain is tried three times in all and does not block other methods of the order', async () => {
  const order = await world.order()
  const offer = await offerOf(world, order.id)
  const header = encoded(await signedBy(offer, await burner(0n, 0n, true)))
  for (let times = 0; times < 6; times++) {
    expect(await completeAtLast(world, order.id, header)).toMatchObject({ status: 402, response: { success: false } })
  }
  expect(await sendsOf(order.id)).toHaveLength(3)
  // A failed signature can still be broadcast by anyone, so another one has to wait until it expires, while transfers do not.
  expect(await world.complete(order.id, encoded(await sign(offer, { payer: bob })))).toMatchObject({ status: 409 })
  expect((await askForDai(order.id)).data.funding).toMatchObject({ remaining_amount: expect.anything() })
})

test('behavior: a signature in flight reserves its order, and when it fails the other methods return at once', async () => {
  const order = await world.order()
  const offer = await offerOf(world, order.id)
  await world.test.automine(false)
  const header = encoded(await signedBy(offer, await burnerWhileMining(), soon(600)))
  expect(await world.complete(order.id, header)).toMatchObject({ status: 202 })
  await expect(askForDai(order.id)).rejects.toThrow()
  await world.test.automine(true)
  await world.test.mine()
  await until(() => askForDai(order.id).then(Boolean, () => false))
})
async function burnerWhileMining() {
  await world.test.automine(true)
  const wallet = await burner(0n, 0n, true)
  await world.test.automine(false)
  return wallet
}

test('error: a signature valid for longer than requested is refused by name, with nothing claimed', async () => {
  const order = await world.order()
  const offer = await offerOf(world, order.id)
  for (const validBefore of [soon(offer.maxTimeoutSeconds + 400), Number.MAX_SAFE_INTEGER]) {
    const answer = await world.complete(order.id, encoded(await sign(offer, { payer: bob, validBefore })))
    expect(answer).toMatchObject({ status: 402, required: { error: 'authorization_valid_too_long' }, response: undefined })
    expect(answer.body.message).toMatch(/too long/)
  }
  expect(await sendsOf(order.id)).toHaveLength(0)
  const withSlack = await sign(offer, { payer: bob, validBefore: soon(offer.maxTimeoutSeconds + 200) })
  expect(await completeAtLast(world, order.id, encoded(withSlack))).toMatchObject({ status: 200 })
})

test('behavior: wallet deployments have a separate cap, and an order gets at most three', async () => {
  const order = await world.order()
  const offer = await offerOf(world, order.id)
  /** Deploys a wallet for `alice` through the factory, with a constructor that burns gas. */
  const wrapped = async (salt: string, length: number) => {
    const bytecode = concatHex([encodeDeployData({ abi: TestBurner.abi, bytecode: TestBurner.bytecode }), `0x${'00'.repeat(length)}`])
    const address = getContractAddress({ opcode: 'CREATE2', from: factory, salt: keccak256(toHex(salt)), bytecode }).toLowerCase()
    await world.test.sendToken(bob, 'USDC', address, 50_000_000n)
    const payload = await signedBy(offer, address)
    const inner = encodeAbiParameters(
      [{ type: 'address' }, { type: 'bytes' }, { type: 'bytes' }],
      [factory, concatHex([keccak256(toHex(salt)), bytecode]), payload.payload.signature as Hex],
    )
    return encoded({ ...payload, payload: { ...payload.payload, signature: concatHex([inner, `0x${'6492'.repeat(16)}`]) } })
  }
  const { sql } = world.running.engine
  await sql`
    insert into sends (id, chain_id, to_address, data, value, kind, order_id, ref, state, refusal)
    select 'made-before-' || n, 8453, ${factory}, '0x', 0, 'x402_wallet', ${order.id}, '', 'refused', 'no' from generate_series(1, 3) n`
  expect((await world.complete(order.id, await wrapped('one too many', 0))).status).toBe(402)
  expect(await sendsOf(order.id)).toHaveLength(3)

  await sql`delete from sends where order_id = ${order.id}`
  expect((await completeAtLast(world, order.id, await wrapped('within the cap', 0))).status).toBe(200)
  expect((await sendsOf(order.id)).map(({ kind }) => kind)).toEqual(['x402_wallet', 'x402'])
  const caps = await sql`select kind, gas_cap::int from sends where order_id = ${order.id} order by position`
  expect([...caps]).toEqual([
    { kind: 'x402_wallet', gas_cap: 1_000_000 },
    { kind: 'x402', gas_cap: 300_000 },
  ])
})
