import {
  address,
  createSolanaRpc,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  getTransactionDecoder,
  type KeyPairSigner,
  partiallySignTransaction,
} from '@solana/kit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { paysExactly } from '../../src/methods/wallet/solana/pays-exactly.ts'
import { complete, encoded } from '../incoming/x402/support.ts'
import { Refused } from '../support/client/client.ts'
import { checkout, untilStatus } from '../support/orders/payments.ts'
import type { Service } from '../support/service/service.ts'
import { solanaChain, type SolanaMerchant, type SolanaStage, startSolanaStage } from '../support/service/solana-stage.ts'
import { until } from '../support/wait.ts'

/** What the service builds for wallets on Solana. The payer has only the official client. */

let stage: SolanaStage
let service: Service
let merchant: SolanaMerchant
beforeAll(async () => {
  stage = await startSolanaStage({ slotMs: 400 })
  service = await stage.start()
  merchant = await stage.merchant()
})
afterAll(() => stage?.close())

const { chain_id } = solanaChain
const client = () => merchant.at(service)
const orderIn = (token: string | null) =>
  checkout(client(), { amount: '42.50', fiat_unit: 'usd' }, { source: { chain_id, address: token } })

/** Returns the transaction, or the status and the sentence of the refusal. */
async function build(orderId: string, token: string | null, payer: string) {
  const body = { chain_id, token_address: token, payer }
  try {
    return await client().ask('walletTransaction', { params: { order_id: orderId }, body: body as never })
  } catch (error) {
    if (error instanceof Refused) return { refused: error.status, message: error.message }
    throw error
  }
}

async function built(orderId: string, token: string | null, payer: string): Promise<string> {
  const answer = await build(orderId, token, payer)
  if ('refused' in answer) throw new Error(answer.message)
  expect(answer.offer).toBeNull()
  return answer.transaction
}

async function send(payer: KeyPairSigner, transaction: string): Promise<string> {
  const unsigned = getTransactionDecoder().decode(Buffer.from(transaction, 'base64'))
  const signed = await partiallySignTransaction([payer.keyPair], unsigned)
  const rpc = createSolanaRpc(stage.solana.node.url)
  await rpc.sendTransaction(getBase64EncodedWireTransaction(signed), { encoding: 'base64' }).send()
  return getSignatureFromTransaction(signed as never)
}

async function payerWith(tokens: bigint): Promise<KeyPairSigner> {
  const payer = await stage.wallets.payer()
  if (tokens > 0n) await stage.giveTokens(payer.address, tokens)
  return payer
}

describe('what a wallet sends', () => {
  test('default: it pays the order in USDC and in SOL, exactly, and the payer pays the fee', async () => {
    for (const token of [stage.usdc, null]) {
      const { id, required } = await orderIn(token)
      const { methods } = await client().ask('paymentMethods', { params: { order_id: id } })
      expect(methods).toContainEqual({ method: 'WALLET', available: true })
      const payer = await payerWith(token === null ? 0n : required)
      const before = await stage.balance(payer.address)
      const signature = await send(payer, await built(id, token, payer.address))
      const done = await untilStatus(client(), id, 'COMPLETED')
      expect(done.payment?.funding?.transactions).toMatchObject([{ tx_hash: signature, amount: { raw: required.toString() } }])
      const paid = before - (await stage.balance(payer.address)) - (token === null ? required : 0n)
      expect(paid).toBeGreaterThanOrEqual(5_000n)
      expect(paid).toBeLessThan(2_200_000n)
    }
  })

  test('behavior: whoever asks at once, again or from another tab gets the same transaction, and it pays once', async () => {
    const { id, required } = await orderIn(stage.usdc)
    const payer = await payerWith(2n * required)
    const transactions = await Promise.all(Array.from({ length: 8 }, () => built(id, stage.usdc, payer.address)))
    expect(new Set([...transactions, await built(id, stage.usdc, payer.address)]).size).toBe(1)
    const sent = await Promise.allSettled(transactions.slice(0, 3).map((transaction) => send(payer, transaction)))
    // A node either knows it already, which is an error, or answers with its signature again.
    const signatures = sent.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
    expect(new Set(signatures).size).toBe(1)
    await untilStatus(client(), id, 'COMPLETED')
    expect(await stage.balance(payer.address, stage.usdc)).toBe(required)
  })

  test('default: the rest of an order that is partly paid is built once, and completes it', async () => {
    for (const token of [stage.usdc, null]) {
      const { id, deposit, required } = await orderIn(token)
      const payer = await payerWith(token === null ? 0n : required)
      const half = required / 2n
      if (token === null) await stage.wallets.paySol(payer, address(deposit), half)
      else await stage.wallets.payToken(payer, token, address(deposit), half)
      await untilStatus(client(), id, 'PARTIAL_PAYMENT')
      const rest = required - half
      // Whoever could sign without sending sends too, since only whole payments are offered by x402.
      const body = { chain_id, token_address: token, payer: payer.address, signs_only: true }
      const params = { order_id: id }
      await expect(client().ask('walletTransaction', { params, body: { ...body, amount: required.toString() } })).rejects.toMatchObject({
        status: 409,
      })
      const asked = { params, body: { ...body, amount: rest.toString() } }
      const answers = await Promise.all(Array.from({ length: 4 }, () => client().ask('walletTransaction', asked)))
      const transactions = new Set(answers.map(({ transaction, offer }) => (expect(offer).toBeNull(), transaction)))
      expect(transactions.size).toBe(1)
      const [transaction] = transactions
      const shown = {
        from: payer.address,
        to: deposit,
        mint: token,
        amount: rest,
        decimals: token === null ? 9 : 6,
        feePayer: payer.address,
      }
      expect(paysExactly(Buffer.from(transaction!, 'base64'), shown)).toBe(true)
      const other = await payerWith(0n)
      expect(await build(id, token, other.address)).toMatchObject({ refused: 409, message: expect.stringMatching(/was just asked/) })
      await send(payer, transaction!)
      const done = await untilStatus(client(), id, 'COMPLETED')
      expect(done.payment?.funding?.transactions).toHaveLength(2)
      expect(done.payment?.funding?.received_amount.raw).toBe(required.toString())
      expect(await build(id, token, payer.address)).toMatchObject({ refused: 409 })
    }
  })

  test('default: what the network takes is said before anything is built, in lamports and in the order’s fiat unit', async () => {
    const costOf = async (id: string, token: string | null, payer: string, signs_only = false) =>
      client().ask('walletCost', { params: { order_id: id }, body: { chain_id, token_address: token, payer, signs_only } })
    const inToken = await orderIn(stage.usdc)
    const payer = await payerWith(inToken.required)
    const cost = await costOf(inToken.id, stage.usdc, payer.address)
    expect(cost).toEqual({
      network_fee: { raw: '5600', fiat: { amount: 0.01, unit: 'USD', chain_id } },
      account: { raw: '2039280', fiat: { amount: 0.31, unit: 'USD', chain_id } },
    })
    const before = await stage.balance(payer.address)
    await send(payer, await built(inToken.id, stage.usdc, payer.address))
    await untilStatus(client(), inToken.id, 'COMPLETED')
    expect(before - (await stage.balance(payer.address))).toBe(5_600n + 2_039_280n)

    const inCoins = await orderIn(null)
    expect(await costOf(inCoins.id, null, payer.address, true)).toMatchObject({ network_fee: { raw: '5010' }, account: null })
    // The operator pays, and opens the account, once the wallet is asked.
    const signed = await orderIn(stage.usdc)
    expect(await costOf(signed.id, stage.usdc, payer.address, true)).toEqual({ network_fee: null, account: null })
    expect(await stage.sql`select from wallet_payments where order_id = ${signed.id}`).toHaveLength(0)
    expect(await stage.sql`select from solana_opened_accounts where order_id = ${signed.id}`).toHaveLength(0)
    await expect(costOf(inToken.id, stage.usdc, payer.address)).rejects.toMatchObject({ status: 409 })
  })

  test('behavior: another wallet or currency gets nothing until the first transaction has expired, and then a new one', async () => {
    const { id, required } = await orderIn(stage.usdc)
    const [first, second] = [await payerWith(required), await payerWith(required)]
    const transaction = await built(id, stage.usdc, first.address)
    expect(await build(id, stage.usdc, second.address)).toMatchObject({
      refused: 409,
      message: expect.stringMatching(/was just asked to pay/),
    })
    stage.outlive()
    const next = await built(id, stage.usdc, second.address)
    expect(next).not.toBe(transaction)
    await expect(send(first, transaction)).rejects.toThrow()
    await send(second, next)
    await untilStatus(client(), id, 'COMPLETED')
    expect(await stage.balance(first.address, stage.usdc)).toBe(required)
  })

  test('behavior: dust that a stranger sends to the address stops no wallet', async () => {
    const { id, deposit, required } = await orderIn(null)
    const [stranger, payer] = [await payerWith(0n), await payerWith(0n)]
    const transaction = await built(id, null, payer.address)
    await stage.wallets.paySol(stranger, address(deposit), 890_880n)
    expect(await built(id, null, payer.address)).toBe(transaction)
    await send(payer, transaction)
    const done = await untilStatus(client(), id, 'COMPLETED')
    expect(BigInt(done.payment!.funding!.received_amount.raw)).toBeGreaterThanOrEqual(required)
  })

  test('default: a wallet that can sign without sending pays in USDC without coins, and the operator pays the fee', async () => {
    const { id, required } = await orderIn(stage.usdc)
    const payer = await stage.wallets.newAccount()
    await stage.giveTokens(payer.address, required)
    await until(async () => (await stage.balance(payer.address, stage.usdc)) === required)
    const body = { chain_id, token_address: stage.usdc, payer: payer.address, signs_only: true }
    const { transaction, offer } = await client().ask('walletTransaction', { params: { order_id: id }, body })
    const rpc = createSolanaRpc(stage.solana.node.url)
    const simulated = await rpc.simulateTransaction(transaction as never, { encoding: 'base64', sigVerify: false }).send()
    expect(simulated.value.err).toBeNull()
    const unsigned = getTransactionDecoder().decode(Buffer.from(transaction, 'base64'))
    const signed = getBase64EncodedWireTransaction(await partiallySignTransaction([payer.keyPair], unsigned))
    const header = encoded({ x402Version: 2, accepted: offer, payload: { transaction: signed } })
    await until(async () => (await complete(service.baseUrl, id, header)).status === 200, { timeout: 120_000, every: 500 })
    const done = await untilStatus(client(), id, 'COMPLETED')
    expect(done.payment?.funding?.transactions).toMatchObject([{ amount: { raw: required.toString() } }])
    expect([await stage.balance(payer.address), await stage.balance(payer.address, stage.usdc)]).toEqual([0n, 0n])
    expect(await build(id, stage.usdc, payer.address)).toMatchObject({ refused: 409 })
  })

  test('behavior: while a signature is on its way, no wallet gets a transaction, and the other way round', async () => {
    const [first, second] = [await orderIn(stage.usdc), await orderIn(stage.usdc)]
    const payer = await payerWith(2n * first.required)
    const ask = (id: string, signs_only: boolean) =>
      client().ask('walletTransaction', {
        params: { order_id: id },
        body: { chain_id, token_address: stage.usdc, payer: payer.address, signs_only },
      })
    // What the wallet may send by itself is handed out again, whoever could sign instead.
    const { transaction } = await ask(first.id, false)
    expect(await ask(first.id, true)).toEqual({ transaction, offer: null })
    const { offer, ...given } = await ask(second.id, true)
    const unsigned = getTransactionDecoder().decode(Buffer.from(given.transaction, 'base64'))
    const signed = getBase64EncodedWireTransaction(await partiallySignTransaction([payer.keyPair], unsigned))
    const header = encoded({ x402Version: 2, accepted: offer, payload: { transaction: signed } })
    expect([200, 202]).toContain((await complete(service.baseUrl, second.id, header)).status)
    expect(await build(second.id, stage.usdc, payer.address)).toMatchObject({ refused: 409 })
    await untilStatus(client(), second.id, 'COMPLETED')
  })

  test('error: an order that is paid, instructions in another currency, and what is no payer are refused', async () => {
    const { id, required } = await orderIn(stage.usdc)
    const payer = await payerWith(required)
    expect(await build(id, null, payer.address)).toMatchObject({ refused: 409 })
    expect(await build(id, stage.usdc, stage.usdc)).toMatchObject({ refused: 422 })
    expect(await build(id, stage.usdc, '1'.repeat(32))).toMatchObject({ refused: 422 })
    expect(await build(id, stage.usdc, '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed')).toMatchObject({ refused: 422 })
    expect(await build('ord_unknown', stage.usdc, payer.address)).toMatchObject({ refused: 404 })
    expect(await build(id, payer.address, payer.address)).toMatchObject({ refused: 422 })
    await send(payer, await built(id, stage.usdc, payer.address))
    await untilStatus(client(), id, 'COMPLETED')
    expect(await build(id, stage.usdc, payer.address)).toMatchObject({ refused: 409 })
  })
})
