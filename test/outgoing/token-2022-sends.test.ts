import { createHash } from 'node:crypto'
import { getCloseAccountInstruction } from '@solana-program/token'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { PayoutOutcome } from '../../server/chains/payouts.ts'
import { TOKEN_2022_PROGRAM_ADDRESS } from '../../server/chains/solana/mints.ts'
import { tokenAccount } from '../../server/chains/solana/token-account.ts'
import type { TestSolana } from '../chains/solana/test-solana.ts'
import { type SolanaSends, startSolanaSends } from './solana-support.ts'

/** What is paid out in a token of Token-2022, on the real program. */

const tokenRent = 2_074_080n
const memoProgram = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr'
const transferChecked = 12
const surplus = { kind: 'surplus' } as const

let sends: SolanaSends
let solana: TestSolana
beforeAll(async () => {
  sends = await startSolanaSends(undefined, { program: TOKEN_2022_PROGRAM_ADDRESS, extensions: ['metadataPointer'] })
  ;({ solana } = sends)
})
afterAll(() => sends?.close())

const accountOf = (owner: string) => tokenAccount(owner, solana.token)
const orderWith = (amount: bigint) => sends.orderWith(solana.mint, amount)
const paid = (payout: Omit<Parameters<SolanaSends['paid']>[0], 'token'>) => sends.paid({ token: solana.mint, ...payout })

const unitsOf = (outcome: PayoutOutcome): bigint => (outcome.state === 'confirmed' ? outcome.gasUsed : 0n)

/** Returns the notes of the transaction, each of which comes right before a transfer. */
function notesOf(outcome: PayoutOutcome): readonly string[] {
  if (outcome.state !== 'confirmed') throw new Error(`the payout is ${JSON.stringify(outcome)}`)
  const { staticAccounts, instructions } = solana.ledger.landed(outcome.txHash)!.wire.message
  return instructions.flatMap(({ programAddressIndex, data }, i) => {
    if (staticAccounts[programAddressIndex] !== memoProgram) return []
    expect(instructions[i + 1]?.data?.[0]).toBe(transferChecked)
    return [Buffer.from(data ?? []).toString('utf8')]
  })
}

test('default: a settlement pays the recipient and the fees, and the rent of the order’s account is the operator’s', async () => {
  const { orderId, deposit } = await orderWith(50_000_000n)
  const [shop, fees] = [await solana.ownerWithAccount(), await solana.ownerWithAccount()]
  expect(sends.lamports(await accountOf(deposit))).toBe(tokenRent)
  const before = sends.lamports(sends.operator)
  const legs = [
    { to: shop.address, amount: 49_000_000n },
    { to: fees.address, amount: 1_000_000n },
  ]
  const outcome = await paid({ orderId, legs })
  expect(outcome).toMatchObject({ state: 'confirmed', paid: [true, true] })
  expect([await solana.tokensOf(shop.address), await solana.tokensOf(fees.address)]).toEqual([49_000_000n, 1_000_000n])
  expect(sends.lamports(await accountOf(deposit))).toBe(0n)
  expect(sends.lamports(sends.operator) - before).toBeGreaterThan(tokenRent - 15_000n)
  expect(notesOf(outcome)).toEqual([])
})

test('behavior: an account that requires notes gets one right before its transfer, and no other does', async () => {
  const { orderId } = await orderWith(50_000_000n)
  const [shop, fees] = [await solana.ownerWithAccount(), await solana.ownerWithAccount()]
  await solana.requireNotes(shop)
  const legs = [
    { to: shop.address, amount: 49_000_000n },
    { to: fees.address, amount: 1_000_000n },
  ]
  const outcome = await paid({ orderId, legs })
  expect(outcome).toMatchObject({ state: 'confirmed', paid: [true, true] })
  const without = await paid({ orderId: (await orderWith(50_000_000n)).orderId, legs: legs.map((leg) => ({ ...leg, to: fees.address })) })
  console.log(`A settlement with a note uses ${unitsOf(outcome)} compute units, and one without uses ${unitsOf(without)}.`)
  expect(unitsOf(outcome) - unitsOf(without)).toBeLessThan(2_000n)
  expect(await solana.tokensOf(shop.address)).toBe(49_000_000n)
  const [note, ...others] = notesOf(outcome)
  expect(others).toEqual([])
  // The merchant finds the order by it, and a stranger cannot open the order's page.
  expect(note).toBe(createHash('sha256').update(orderId).digest('hex').slice(0, 16))
})

test('behavior: a refund to accounts that require notes is paid too', async () => {
  const { orderId } = await orderWith(30_000_000n)
  const [first, second] = [await solana.ownerWithAccount(), await solana.ownerWithAccount()]
  for (const owner of [first, second]) await solana.requireNotes(owner)
  const legs = [first, second].map(({ address }) => ({ to: address, amount: 15_000_000n }))
  const outcome = await paid({ orderId, legs, reason: surplus })
  expect(outcome).toMatchObject({ state: 'confirmed', paid: [true, true] })
  expect(notesOf(outcome)).toHaveLength(2)
})

test('behavior: an account that begins to require notes after the settlement was signed is paid by another one', async () => {
  const { orderId } = await orderWith(50_000_000n)
  const shop = await solana.ownerWithAccount()
  const end = sends.proxy.become(async (calls) => {
    if (!calls.some(({ method }) => method === 'sendTransaction')) return undefined
    end()
    await solana.requireNotes(shop)
    return undefined
  })
  const outcome = await paid({ orderId, legs: [{ to: shop.address, amount: 50_000_000n }] })
  expect(outcome).toMatchObject({ state: 'confirmed', paid: [true] })
  expect(notesOf(outcome)).toHaveLength(1)
  expect(await solana.tokensOf(shop.address)).toBe(50_000_000n)
})

test('behavior: an account that is closed while a settlement is prepared is opened again', async () => {
  const { orderId } = await orderWith(50_000_000n)
  const shop = await solana.ownerWithAccount()
  const account = await accountOf(shop.address)
  const programs = { programAddress: TOKEN_2022_PROGRAM_ADDRESS }
  const end = sends.proxy.become(async (calls, ask) => {
    if (!calls.some(({ method }) => method === 'getMultipleAccounts')) return undefined
    end()
    const answers = await ask()
    await solana.send(await solana.sign([getCloseAccountInstruction({ account, destination: shop.address, owner: shop }, programs)]))
    solana.ledger.advance(1)
    return answers
  })
  const outcome = await paid({ orderId, legs: [{ to: shop.address, amount: 50_000_000n }] })
  expect(outcome).toMatchObject({ state: 'confirmed', paid: [true] })
  expect(await solana.tokensOf(shop.address)).toBe(50_000_000n)
})

test('behavior: coins at the address of an account that nobody has opened are no account', async () => {
  const { orderId } = await orderWith(50_000_000n)
  const shop = solana.newAddress()
  await solana.send(await solana.payment(null, await accountOf(shop), 1_000_000n))
  solana.ledger.advance(1)
  expect(await paid({ orderId, legs: [{ to: shop, amount: 50_000_000n }] })).toMatchObject({ state: 'confirmed', paid: [true] })
  expect(await solana.tokensOf(shop)).toBe(50_000_000n)
})

test('behavior: a frozen account’s leg is left out, and the others are paid', async () => {
  const { orderId } = await orderWith(20_000_000n)
  const [frozen, other] = [await solana.frozenOwner(), solana.newAddress()]
  const legs = [frozen, other].map((to) => ({ to, amount: 10_000_000n }))
  expect(await paid({ orderId, legs, reason: surplus })).toMatchObject({ state: 'confirmed', paid: [false, true] })
})
