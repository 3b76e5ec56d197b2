import {
  address,
  createSolanaRpc,
  getBase64EncodedWireTransaction,
  getTransactionDecoder,
  type KeyPairSigner,
  partiallySignTransaction,
} from '@solana/kit'
import { x402Client, x402HTTPClient } from '@x402/core/client'
import { ExactSvmScheme } from '@x402/svm/exact/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { solanaOperator } from '../../local/solana/accounts.ts'
import { tokenAccount } from '../../server/chains/solana/token-account.ts'
import { paysExactly } from '../../src/methods/wallet/solana/pays-exactly.ts'
import { requireNotes } from '../chains/solana/mint-extensions.ts'
import { complete, encoded } from '../incoming/x402/support.ts'
import { checkout, untilOrder, untilStatus } from '../support/orders/payments.ts'
import type { Service } from '../support/service/service.ts'
import { newAddress, solanaChain, type SolanaMerchant, type SolanaStage, startSolanaStage } from '../support/service/solana-stage.ts'
import { until } from '../support/wait.ts'

/** Orders in a token of Token-2022, on the real program against the real service. */

let stage: SolanaStage
let service: Service
let merchant: SolanaMerchant
beforeAll(async () => {
  stage = await startSolanaStage({ slotMs: 400 })
  service = await stage.start()
  const [recipient, feeCollector] = [newAddress(), newAddress()]
  const settlements = [{ chainId: solanaChain.chain_id, address: stage.pusd.address, recipient, feeCollector }]
  merchant = { ...(await stage.merchant({ settlements: settlements as never })), recipient, collector: feeCollector }
})
afterAll(() => stage?.close())

const { chain_id } = solanaChain
const operator = address(solanaOperator.address)
const client = () => merchant.at(service)
const newOrder = (change = {}) =>
  checkout(client(), { amount: '42.50', fiat_unit: 'usd' }, { source: { chain_id, address: stage.pusd.address }, ...change })
const tokensOf = (of: string) => stage.balance(of, stage.pusd.address)

/** A payer who has tokens, and coins if he pays the fee. */
async function payerWith(tokens: bigint, hasCoins = true): Promise<KeyPairSigner> {
  const payer = await (hasCoins ? stage.wallets.payer() : stage.wallets.newAccount())
  await stage.giveTokens(payer.address, tokens, stage.pusd)
  await until(async () => (await tokensOf(payer.address)) === tokens)
  return payer
}

async function signedBy(payer: KeyPairSigner, transaction: string): Promise<string> {
  const unsigned = getTransactionDecoder().decode(Buffer.from(transaction, 'base64'))
  return getBase64EncodedWireTransaction(await partiallySignTransaction([payer.keyPair], unsigned))
}

test('default: a payment to the address is seen, final and settled exactly, and the account’s rent comes back', async () => {
  const { id, deposit, required } = await newOrder()
  const payer = await payerWith(required)
  const before = await tokensOf(merchant.recipient)
  const { address: mint, program } = stage.pusd
  const signature = await stage.wallets.payToken(payer, mint, address(deposit), required, program)
  const done = await untilStatus(client(), id, 'COMPLETED')
  expect(done.payment?.funding?.transactions).toMatchObject([{ tx_hash: signature, state: 'applied', currency: { symbol: 'PUSD' } }])
  expect((await tokensOf(merchant.recipient)) - before).toBe(BigInt(done.payment!.output!.amount.raw))
  expect(await stage.balance(await tokenAccount(deposit, stage.pusd))).toBe(0n)
})

test('behavior: too much goes back to an account that requires notes', async () => {
  const owner = await stage.wallets.payer()
  await stage.giveTokens(owner.address, 1n, stage.pusd)
  const account = await tokenAccount(owner.address, stage.pusd)
  await until(async () => (await tokensOf(owner.address)) === 1n)
  await stage.wallets.send(owner, requireNotes(owner, account, owner))
  const { id, deposit, required } = await newOrder({ refund_address: owner.address })
  const payer = await payerWith(required + 10_000_000n)
  await stage.wallets.payToken(payer, stage.pusd.address, address(deposit), required + 10_000_000n, stage.pusd.program)
  const done = await untilOrder(client(), id, ({ payment }) => payment?.refunds?.some(({ state }) => state === 'confirmed') ?? false)
  expect(done.payment?.refund).toMatchObject({ address: owner.address, reason: 'overpaid' })
  expect(await tokensOf(owner.address)).toBeGreaterThan(9_000_000n)
})

test('default: the official client of x402 pays without coins', async () => {
  const { id } = await newOrder()
  const payer = await payerWith(42_500_000n, false)
  const scheme = new ExactSvmScheme(payer, { rpcUrl: stage.solana.node.url })
  const x402 = new x402HTTPClient(x402Client.fromConfig({ schemes: [{ network: 'solana:*', client: scheme }], spendControls: false }))
  const url = `${service.baseUrl}/orders/${id}/x402/complete`
  const first = await fetch(url, { method: 'POST' })
  const required = x402.getPaymentRequiredResponse((name) => first.headers.get(name))
  expect(required.accepts).toMatchObject([{ asset: stage.pusd.address, amount: '42500000', extra: { feePayer: operator } }])
  const headers = x402.encodePaymentSignatureHeader(await x402.createPaymentPayload(required))
  await until(async () => (await fetch(url, { method: 'POST', headers })).status === 200, { timeout: 120_000, every: 500 })
  await untilStatus(client(), id, 'COMPLETED')
  expect([await tokensOf(payer.address), await stage.balance(payer.address)]).toEqual([0n, 0n])
})

test('default: what is built for a wallet is what the page lets it sign, and pays, whoever pays the fee', async () => {
  for (const signs_only of [true, false]) {
    const { id, deposit, required } = await newOrder()
    const payer = await payerWith(required, !signs_only)
    const body = { chain_id, token_address: stage.pusd.address, payer: payer.address, signs_only }
    const { transaction, offer } = await client().ask('walletTransaction', { params: { order_id: id }, body })
    expect(offer === null).toBe(!signs_only)
    const shown = { from: payer.address, to: deposit, mint: stage.pusd.address, amount: required, decimals: 6 }
    expect(paysExactly(Buffer.from(transaction, 'base64'), { ...shown, feePayer: offer?.extra?.feePayer ?? payer.address })).toBe(true)
    const signed = await signedBy(payer, transaction)
    if (offer) {
      const header = encoded({ x402Version: 2, accepted: offer, payload: { transaction: signed } })
      await until(async () => (await complete(service.baseUrl, id, header)).status === 200, { timeout: 120_000, every: 500 })
    } else
      await createSolanaRpc(stage.solana.node.url)
        .sendTransaction(signed as never, { encoding: 'base64' })
        .send()
    const done = await untilStatus(client(), id, 'COMPLETED')
    expect(done.payment?.funding?.transactions).toMatchObject([{ amount: { raw: required.toString() } }])
    expect(await tokensOf(payer.address)).toBe(0n)
  }
})

test('default: a wallet’s portfolio has the token', async () => {
  const payer = await payerWith(7_000_000n)
  const body = { wallets: [{ address: payer.address, chain_type: 'SOL', chain_ids: [chain_id] }] } as const
  const { portfolio } = await client().ask('portfolio', { body: body as never })
  expect(JSON.stringify(portfolio)).toContain('PUSD')
})
