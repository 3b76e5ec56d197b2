import {
  type Address,
  address,
  appendTransactionMessageInstructions,
  compileTransaction,
  createSolanaRpc,
  createTransactionMessage,
  generateKeyPairSigner,
  getBase64EncodedWireTransaction,
  getTransactionDecoder,
  type Instruction,
  type KeyPairSigner,
  partiallySignTransaction,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit'
import { getSetComputeUnitLimitInstruction, getSetComputeUnitPriceInstruction } from '@solana-program/compute-budget'
import { findAssociatedTokenPda, getTransferCheckedInstruction, TOKEN_PROGRAM_ADDRESS } from '@solana-program/token'
import { x402Client, x402HTTPClient } from '@x402/core/client'
import { ExactSvmScheme } from '@x402/svm/exact/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { solanaOperator } from '../../../local/solana/accounts.ts'
import type { PaymentPayload, PaymentRequirements } from '../../../src/wire/x402.ts'
import { untilStatus } from '../../support/orders/payments.ts'
import type { Service } from '../../support/service/service.ts'
import { type SolanaMerchant, type SolanaStage, solanaChain, startSolanaStage } from '../../support/service/solana-stage.ts'
import { until } from '../../support/wait.ts'
import { type Answer, complete, encoded } from './support.ts'

/** Payers on Solana who sign and leave the fee to the operator, by the official client of x402. They have no coins at all. */

let stage: SolanaStage
let service: Service
let merchant: SolanaMerchant
beforeAll(async () => {
  stage = await startSolanaStage({ slotMs: 400 })
  service = await stage.start()
  merchant = await stage.merchant()
})
afterAll(() => stage?.close())

const operator = address(solanaOperator.address)
const price = 42_500_000n
/** What an account for a token costs. */
const tokenRent = 2_039_280n
const memo = address('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr')

const newOrder = (of = merchant) => of.at(service).ask('createOrder', { body: { mode: 'SALE', amount: '42.50', fiat_unit: 'usd' } })
const ask = (orderId: string, payload?: object): Promise<Answer> => complete(service.baseUrl, orderId, payload && encoded(payload))

async function offerOf(orderId: string): Promise<PaymentRequirements> {
  const { required } = await ask(orderId)
  const offer = required?.accepts.find(({ network }) => network.startsWith('solana:'))
  if (!offer) throw new Error(`nothing is offered: ${required?.error}`)
  return offer
}

async function payerWith(tokens: bigint): Promise<KeyPairSigner> {
  const payer = await stage.wallets.newAccount()
  await stage.giveTokens(payer.address, tokens)
  await until(async () => (await stage.balance(payer.address, stage.usdc)) === tokens)
  return payer
}

/** Signs an offer with the official client. */
async function signed(payer: KeyPairSigner, offer: PaymentRequirements): Promise<PaymentPayload> {
  const scheme = new ExactSvmScheme(payer, { rpcUrl: stage.solana.node.url })
  const { payload } = await scheme.createPaymentPayload(2, offer as never)
  return { x402Version: 2, accepted: offer, payload } as never
}

/** Until then the operator may still pay for something. */
const untilQuiet = () =>
  until(async () => (await stage.sql`select from solana_payouts where state in ('queued', 'sent')`).length === 0, { timeout: 60_000 })

/** Repeats the request until its answer is final, as a client does after a 202. */
const paid = (orderId: string, payload: object): Promise<Answer> =>
  until(
    async () => {
      const answer = await ask(orderId, payload)
      return answer.status === 202 || answer.status === 429 ? undefined : answer
    },
    { timeout: 120_000, every: 500 },
  )

describe('an offer on Solana', () => {
  test('default: the official client pays an order once, without coins, and the operator gets the rent back', async () => {
    const { id } = await newOrder()
    const payer = await payerWith(price)
    const client = new x402HTTPClient(
      x402Client.fromConfig({
        schemes: [{ network: 'solana:*', client: new ExactSvmScheme(payer, { rpcUrl: stage.solana.node.url }) }],
        spendControls: false,
      }),
    )
    const url = `${service.baseUrl}/orders/${id}/x402/complete`
    const before = await stage.balance(operator)
    const first = await fetch(url, { method: 'POST' })
    const required = client.getPaymentRequiredResponse((name) => first.headers.get(name))
    expect(required.accepts).toEqual([
      expect.objectContaining({
        scheme: 'exact',
        network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
        amount: price.toString(),
        asset: stage.usdc,
        extra: { feePayer: operator },
      }),
    ])
    const payload = await client.createPaymentPayload(required)
    const headers = client.encodePaymentSignatureHeader(payload)
    await until(async () => (await fetch(url, { method: 'POST', headers })).status === 200, { timeout: 120_000, every: 500 })
    const result = await client.processResponse(await fetch(url, { method: 'POST', headers }))
    expect(result).toMatchObject({ status: 200, paymentStatus: 'settled', header: { success: true, payer: payer.address } })
    const done = await untilStatus(merchant.at(service), id, 'COMPLETED')
    const { transaction } = result.header as { transaction: string }
    expect(done.payment?.funding?.transactions).toMatchObject([{ tx_hash: transaction, amount: { raw: price.toString() } }])
    expect(await stage.balance(payer.address, stage.usdc)).toBe(0n)
    expect(await stage.balance(payer.address)).toBe(0n)
    // The recipient's and the fee collector's accounts cost rent too, and the order's was returned when it was closed.
    const spent = before - (await stage.balance(operator))
    expect(spent).toBeLessThan(2n * 2_039_280n + 100_000n)
    const { status, body } = await ask(id, payload)
    expect([status, body.order?.status]).toEqual([200, 'COMPLETED'])
  })

  test('behavior: one signature sent ten times at once makes one transfer and one answer', async () => {
    const { id } = await newOrder()
    const payer = await payerWith(2n * price)
    const payload = await signed(payer, await offerOf(id))
    const answers = await Promise.all(Array.from({ length: 10 }, () => ask(id, payload)))
    expect(answers.filter(({ status }) => status !== 200 && status !== 202)).toEqual([])
    const final = await paid(id, payload)
    expect(final).toMatchObject({ status: 200, response: { success: true } })
    const named = new Set(answers.flatMap(({ response }) => response?.transaction || []))
    expect([...named, final.response?.transaction].every((signature) => signature === final.response?.transaction)).toBe(true)
    await untilStatus(merchant.at(service), id, 'COMPLETED')
    expect(await stage.balance(payer.address, stage.usdc)).toBe(price)
  })

  test('behavior: of several signatures at once, by one payer or by several, one pays', async () => {
    const { id } = await newOrder()
    const [alice, bob] = [await payerWith(2n * price), await payerWith(price)]
    const offer = await offerOf(id)
    const payloads = [await signed(alice, offer), await signed(alice, offer), await signed(bob, offer)]
    const answers = await Promise.all(payloads.map((payload) => ask(id, payload)))
    expect(answers.map(({ status }) => (status === 202 ? 200 : status)).sort()).toEqual([200, 409, 409])
    await untilStatus(merchant.at(service), id, 'COMPLETED')
    const left = (await stage.balance(alice.address, stage.usdc)) + (await stage.balance(bob.address, stage.usdc))
    expect(left).toBe(2n * price)
    expect(await Promise.all(payloads.map(async (payload) => (await paid(id, payload)).status))).toEqual(
      answers.map(({ status }) => (status === 202 ? 200 : status)),
    )
  })

  test('behavior: a payer whose money is gone when it is sent pays nothing, and the order takes another signature at once', async () => {
    const { id } = await newOrder()
    const offer = await offerOf(id)
    const [poor, rich] = [await payerWith(price), await payerWith(price)]
    await stage.giveCoins(poor.address, 10_000_000n)
    const first = await signed(poor, offer)
    await stage.wallets.payToken(poor, stage.usdc, rich.address, 1n)
    const refused = await ask(id, first)
    expect(refused).toMatchObject({ status: 402, required: { error: 'invalid_exact_svm_transaction_simulation_failed' } })
    expect(refused.required?.accepts).toHaveLength(1)
    expect(await paid(id, await signed(rich, offer))).toMatchObject({ status: 200 })
    await untilStatus(merchant.at(service), id, 'COMPLETED')
    expect(await stage.balance(poor.address, stage.usdc)).toBe(price - 1n)
  })

  test('behavior: however fast the payer moves the money away, it is paid once or not at all, and the order goes on', async () => {
    for (let round = 0; round < 3; round++) {
      const { id } = await newOrder()
      const offer = await offerOf(id)
      const [fast, other] = [await payerWith(price), await payerWith(price)]
      await stage.giveCoins(fast.address, 10_000_000n)
      const payload = await signed(fast, offer)
      const request = ask(id, payload)
      if (round > 0) await until(async () => (await stage.sql`select from solana_payouts where order_id = ${id}`).length >= round)
      await stage.wallets.payToken(fast, stage.usdc, other.address, 1n).catch(() => undefined)
      await request
      const { status } = await paid(id, payload)
      if (status !== 200) expect(await paid(id, await signed(other, offer))).toMatchObject({ status: 200 })
      await untilStatus(merchant.at(service), id, 'COMPLETED')
      const left = (await stage.balance(fast.address, stage.usdc)) + (await stage.balance(other.address, stage.usdc))
      expect(left).toBe(price)
    }
  })

  test('behavior: coins that somebody sends to the account that is to be opened stop nobody', async () => {
    const { id } = await newOrder()
    const offer = await offerOf(id)
    const [account] = await findAssociatedTokenPda({ owner: address(offer.payTo), mint: stage.usdc, tokenProgram: TOKEN_PROGRAM_ADDRESS })
    await stage.giveCoins(account, 1_000_000n)
    await until(async () => (await stage.balance(account)) === 1_000_000n)
    expect(await paid(id, await signed(await payerWith(price), offer))).toMatchObject({ status: 200 })
    await untilStatus(merchant.at(service), id, 'COMPLETED')
    expect(await stage.balance(account)).toBe(0n)
  })

  test('behavior: a transaction whose block is too old is refused, and a new one pays', async () => {
    const { id } = await newOrder()
    const payer = await payerWith(price)
    const offer = await offerOf(id)
    const old = await signed(payer, offer)
    stage.outlive()
    expect(await ask(id, old)).toMatchObject({ status: 402, required: { error: 'invalid_exact_svm_transaction_simulation_failed' } })
    expect(await paid(id, await signed(payer, offer))).toMatchObject({ status: 200 })
    await untilStatus(merchant.at(service), id, 'COMPLETED')
  })

  test('error: orders that anybody can make are not offered', async () => {
    const open = await stage.merchant()
    const currency = { chain_id: solanaChain.chain_id, address: stage.usdc }
    const unsigned = await open
      .at(service)
      .ask('createOrder', { body: { mode: 'DEPOSIT', amount: '42.50', currency, recipient: open.recipient } })
    expect(await ask(unsigned.id)).toMatchObject({ status: 402, required: { accepts: [], error: 'order_not_payable' } })
  })

  test('error: nothing is offered beyond the budget for gas', async () => {
    const spender = await stage.merchant()
    const { id } = await newOrder(spender)
    const offer = await offerOf(id)
    await stage.sql`insert into gas_used (organization_id, chain_id, hour, unsigned, gas)
      select organization_id, ${solanaChain.chain_id}, date_trunc('hour', now()), false, 1e12 from orders where id = ${id}`
    expect(await ask(id)).toMatchObject({ status: 402, required: { accepts: [] } })
    expect(await ask(id, await signed(await payerWith(price), offer))).toMatchObject({ status: 429 })
  })

  test('behavior: the account that a settlement opens for its recipient counts in that budget, once', async () => {
    const shop = await stage.merchant()
    const booked = async () =>
      BigInt(
        (
          await stage.sql`select coalesce(sum(gas), 0)::text as gas from gas_used
            where organization_id = (select organization_id from orders where id = ${first.id})`
        )[0]!.gas,
      )
    async function completed() {
      const { id } = await newOrder(shop)
      await paid(id, await signed(await payerWith(price), await offerOf(id)))
      await untilStatus(shop.at(service), id, 'COMPLETED')
      return { id }
    }
    const first = await completed()
    const afterFirst = await booked()
    expect(afterFirst).toBeGreaterThan(tokenRent)
    await completed()
    expect((await booked()) - afterFirst).toBeLessThan(tokenRent)
  })

  test('error: an organisation with very many unpaid accounts gets no more, and another is unaffected', async () => {
    const busy = await stage.merchant()
    const { id } = await newOrder(busy)
    await stage.sql`insert into solana_opened_accounts (id, chain_id, account, order_id, organization_id, token)
      select 'x402_account:' || ${id} || number, ${solanaChain.chain_id}, ${id} || number, id, organization_id, ${stage.usdc}
      from orders, generate_series(1, 200) number where id = ${id}`
    const refused = await ask(id, await signed(await payerWith(price), await offerOf(id)))
    expect(refused).toMatchObject({ status: 402, required: { error: 'invalid_exact_svm_transaction_failed' } })
    const other = await newOrder()
    const answer = await paid(other.id, await signed(await payerWith(price), await offerOf(other.id)))
    expect(answer.status, JSON.stringify(answer)).toBe(200)
    await untilStatus(merchant.at(service), other.id, 'COMPLETED')
  })
})

/** Builds any transaction for the operator to pay for, and signs it as the payer. */
async function forged(
  payer: KeyPairSigner,
  feePayer: Address,
  instructions: readonly Instruction[],
  alsoBy: readonly KeyPairSigner[] = [],
) {
  const { value } = await createSolanaRpc(stage.solana.node.url).getLatestBlockhash({ commitment: 'confirmed' }).send()
  const message = pipe(
    createTransactionMessage({ version: 0 }),
    (empty) => setTransactionMessageFeePayer(feePayer, empty),
    (paying) => setTransactionMessageLifetimeUsingBlockhash(value, paying),
    (timed) => appendTransactionMessageInstructions(instructions, timed),
  )
  const transaction = await partiallySignTransaction(
    [payer, ...alsoBy].map(({ keyPair }) => keyPair),
    compileTransaction(message),
  )
  return getBase64EncodedWireTransaction(transaction)
}

describe('what a stranger signs', () => {
  const budget = [getSetComputeUnitLimitInstruction({ units: 20_000 }), getSetComputeUnitPriceInstruction({ microLamports: 1 })]
  const tokenAccount = async (owner: Address) =>
    (await findAssociatedTokenPda({ owner, mint: stage.usdc, tokenProgram: TOKEN_PROGRAM_ADDRESS }))[0]
  const note = (accounts: Instruction['accounts'] = []): Instruction => ({ programAddress: memo, accounts, data: Buffer.from('hello') })

  async function transfer(authority: KeyPairSigner, to: Address, amount: bigint, from = authority.address): Promise<Instruction> {
    const [source, destination] = [await tokenAccount(from), await tokenAccount(to)]
    return getTransferCheckedInstruction({ source, mint: stage.usdc, destination, authority, amount, decimals: 6 })
  }

  test('error: whatever is not exactly the offer is refused, and costs nobody anything', async () => {
    const { id } = await newOrder()
    const offer = await offerOf(id)
    const [payer, stranger] = [await payerWith(10n * price), await generateKeyPairSigner()]
    const payTo = address(offer.payTo)
    const pay = await transfer(payer, payTo, price)
    const asOperator = (role: number): Instruction['accounts'] => [{ address: operator, role }]
    const of = async (amount: bigint, to = payTo) => [...budget, await transfer(payer, to, amount)]
    const dear = [
      getSetComputeUnitLimitInstruction({ units: 200_000 }),
      getSetComputeUnitPriceInstruction({ microLamports: 4_000_000 }),
      pay,
    ]
    /** Each is signed when it is sent, since its block is recent for a while only. */
    const cases: Readonly<Record<string, readonly [RegExp, () => Promise<string>]>> = {
      'another receiver': [/recipient_mismatch/, async () => forged(payer, operator, await of(price, payer.address))],
      'another amount': [/amount_mismatch/, async () => forged(payer, operator, await of(price - 1n))],
      'more than was asked': [/amount_mismatch/, async () => forged(payer, operator, await of(price + 1n))],
      'a second transfer': [
        /unknown_fourth/,
        async () => forged(payer, operator, [...budget, pay, await transfer(payer, payer.address, 1n)]),
      ],
      'another payer of the fee': [/fee_payer_mismatch/, () => forged(payer, stranger.address, [...budget, pay])],
      'the operator in a note': [/fee_payer/, () => forged(payer, operator, [...budget, pay, note(asOperator(2))])],
      'the operator as a signer of a note': [/fee_payer/, () => forged(payer, operator, [...budget, pay, note(asOperator(3))])],
      'another signer': [
        /excessive_signers/,
        () => forged(payer, operator, [...budget, pay, note([{ address: stranger.address, role: 2 }])], [stranger]),
      ],
      'too many units': [
        /too_high/,
        () => forged(payer, operator, [getSetComputeUnitLimitInstruction({ units: 1_000_000 }), budget[1]!, pay]),
      ],
      'too high a price': [/too_high|gas_limit_exceeded/, () => forged(payer, operator, dear)],
      'no limit': [/./, () => forged(payer, operator, [pay])],
      'not signed by the payer': [/signature_invalid/, async () => unsignedBy(await forged(payer, operator, [...budget, pay]))],
    }
    await untilQuiet()
    const before = [await stage.balance(operator), await stage.balance(payer.address, stage.usdc)]
    for (const [name, [reason, transaction]] of Object.entries(cases)) {
      const answer = await ask(id, { x402Version: 2, accepted: offer, payload: { transaction: await transaction() } })
      expect([400, 402], `${name}: ${JSON.stringify(answer.body)}`).toContain(answer.status)
      if (answer.status === 402) expect(answer.required?.error, name).toMatch(reason)
    }
    for (const transaction of ['', 'AAAA', '?', 'A'.repeat(2_000), Buffer.from([...Array(200).keys()]).toString('base64')])
      expect((await ask(id, { x402Version: 2, accepted: offer, payload: { transaction } })).status).toBe(400)
    const altered = { ...offer, amount: '1' }
    expect(
      await ask(id, { x402Version: 2, accepted: altered, payload: { transaction: await forged(payer, operator, [...budget, pay]) } }),
    ).toMatchObject({
      status: 402,
      required: { error: 'No matching payment requirements' },
    })
    expect([await stage.balance(operator), await stage.balance(payer.address, stage.usdc)]).toEqual(before)
    const opened = await stage.sql`select from solana_opened_accounts where order_id = ${id}`
    expect(opened).toHaveLength(0)
    // The order is none the worse for it.
    expect(await paid(id, await signed(payer, offer))).toMatchObject({ status: 200 })
  })

  /** Replaces the payer's signature by another one. */
  function unsignedBy(base64: string): string {
    const bytes = Buffer.from(base64, 'base64')
    const { signatures } = getTransactionDecoder().decode(bytes)
    const at = 1 + 64 * (Object.keys(signatures).length - 1)
    bytes.fill(7, at, at + 64)
    return bytes.toString('base64')
  }
})

test('behavior: an account that nobody paid into is closed after an hour, and opened again for who comes back', async () => {
  const { id } = await newOrder()
  const payer = await payerWith(price)
  const offer = await offerOf(id)
  const before = await stage.balance(operator)
  await merchant.at(service).ask('requestPayment', {
    params: { order_id: id },
    body: { source: { currency: { chain_id: solanaChain.chain_id, address: stage.usdc }, payment_rail: 'CRYPTO' } },
  })
  const body = { chain_id: solanaChain.chain_id, token_address: stage.usdc, payer: payer.address, signs_only: true }
  expect(await merchant.at(service).ask('walletTransaction', { params: { order_id: id }, body })).toMatchObject({ offer })
  await untilQuiet()
  const [opened] = await stage.sql`select account from solana_opened_accounts where order_id = ${id}`
  const lamportsOf = () => stage.balance(opened!.account as string)
  expect(await lamportsOf()).toBe(2_039_280n)
  // From here on it may be closed at any time, also before the restart.
  await stage.sql`
    update solana_opened_accounts set opened_at = now() - interval '2 hours', looked_at = now() - interval '2 hours'
    where order_id = ${id}`
  await service.close()
  service = await stage.start()
  await until(async () => (await lamportsOf()) === 0n, { timeout: 60_000 })
  expect(before - (await stage.balance(operator))).toBeLessThan(100_000n)
  await untilQuiet()
  await stage.sql`update solana_opened_accounts set looked_at = now() - interval '2 hours' where order_id = ${id}`
  await service.close()
  service = await stage.start()
  await until(
    async () => (await stage.sql`select from solana_opened_accounts where order_id = ${id} and closed_at is not null`).length === 1,
  )
  expect(await paid(id, await signed(payer, offer))).toMatchObject({ status: 200 })
  await untilStatus(merchant.at(service), id, 'COMPLETED')
})
