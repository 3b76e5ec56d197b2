import { concatHex, encodeAbiParameters, encodeDeployData, getContractAddress, keccak256, type Hex, toHex } from 'viem'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { PaymentPayload } from '../../../src/wire/x402.ts'
import { TestSender } from '../../../server/chains/evm/contracts/artifacts/TestSender.ts'
import { type LocalAccount, payers } from '../../../local/chains/accounts.ts'
import { until } from '../../support/wait.ts'
import { encoded, offerOf, sign, startWorld, type World } from './support.ts'

/** Contract wallets that hold money before they are deployed (ERC-6492), with an allowed and a forbidden factory. */

/** This CREATE2 factory exists on every chain and deploys any code for a salt. */
const factory = '0x4e59b44847b379578588920ca78fbf26c0b4956c'
const price = 42_500_000n
const [alice, bob, thirdParty] = payers as [LocalAccount, LocalAccount, LocalAccount]

let world: World
beforeAll(async () => {
  world = await startWorld({ waitMs: 3_000, env: { X402_WALLET_FACTORIES: factory } })
})
beforeEach(async () => {
  await world.test.automine(true)
})
afterAll(() => world?.close())

let salts = 0

/** Funds the future address of a wallet for alice, and returns it with the factory's calldata. */
async function undeployed() {
  const salt = keccak256(toHex(`wallet ${++salts}`))
  const bytecode = encodeDeployData({ abi: TestSender.abi, bytecode: TestSender.bytecode, args: [alice.address as Hex] })
  const address = getContractAddress({ opcode: 'CREATE2', from: factory, salt, bytecode }).toLowerCase()
  await world.test.sendToken(bob, 'USDC', address, 50_000_000n)
  return { address, calldata: concatHex([salt, bytecode]) }
}

const wrapped = (payload: PaymentPayload, calldata: Hex, by: string = factory): PaymentPayload => ({
  ...payload,
  payload: {
    ...payload.payload,
    signature: concatHex([
      encodeAbiParameters(
        [{ type: 'address' }, { type: 'bytes' }, { type: 'bytes' }],
        [by as Hex, calldata, payload.payload.signature as Hex],
      ),
      `0x${'6492'.repeat(16)}`,
    ]),
  },
})

async function codeAt(address: string) {
  const [code] = await world.test.anvil.ask(['eth_getCode', address, 'latest'])
  return code
}

const paid = (orderId: string, payload: PaymentPayload) =>
  until(async () => {
    await world.test.mine()
    const answer = await world.complete(orderId, encoded(payload))
    return answer.status === 200 ? answer : undefined
  })

test('behavior: an allowed factory deploys the wallet, and the payment succeeds', async () => {
  const { address, calldata } = await undeployed()
  const order = await world.order()
  const payload = wrapped(await sign(await offerOf(world, order.id), { payer: alice, from: address }), calldata)
  expect(await codeAt(address)).toBe('0x')
  const answer = await paid(order.id, payload)
  expect(answer.response).toMatchObject({ success: true })
  expect(answer.response?.payer?.toLowerCase()).toBe(address)
  expect(await codeAt(address)).not.toBe('0x')
  expect(await world.balance(address)).toBe(50_000_000n - price)
  expect((await world.complete(order.id, encoded(payload))).response).toEqual(answer.response)
})

test('behavior: five concurrent calls and one after a restart deploy one wallet and make one transfer', async () => {
  const { address, calldata } = await undeployed()
  const order = await world.order()
  const payload = wrapped(await sign(await offerOf(world, order.id), { payer: alice, from: address }), calldata)
  await world.test.automine(false)
  const answers = await Promise.all(Array.from({ length: 5 }, () => world.complete(order.id, encoded(payload))))
  // Without a mined block no answer may say paid, or invite another signature.
  expect(answers.every(({ status }) => status !== 200)).toBe(true)
  await world.restart()
  await world.test.automine(true)
  await paid(order.id, payload)
  const made = await world.running.engine.sql`select kind from sends where order_id = ${order.id}`
  expect(made.map(({ kind }) => kind as string).sort()).toEqual(['x402', 'x402_wallet'])
  expect(await world.balance(address)).toBe(50_000_000n - price)
})

test('error: another factory, another wallet than the payer’s, or another owner is refused, and nothing is broadcast', async () => {
  const { address, calldata } = await undeployed()
  const order = await world.order()
  const offer = await offerOf(world, order.id)
  const good = await sign(offer, { payer: alice, from: address })
  const elsewhere = concatHex([keccak256(toHex('elsewhere')), encodeDeployData({ ...TestSender, args: [alice.address as Hex] })])
  for (const [payload, error] of [
    [wrapped(good, calldata, thirdParty.address), 'eip6492_factory_not_allowed'],
    [wrapped(good, elsewhere), /^invalid_exact_evm/],
    [wrapped(await sign(offer, { payer: bob, from: address }), calldata), /^invalid_exact_evm/],
  ] as const) {
    const answer = await world.complete(order.id, encoded(payload))
    expect(answer.status).toBe(402)
    expect(answer.required?.error).toMatch(error)
  }
  expect(await codeAt(address)).toBe('0x')
  expect(await world.balance(address)).toBe(50_000_000n)
  expect(await world.running.engine.sql`select 1 from sends where order_id = ${order.id}`).toHaveLength(0)
})
