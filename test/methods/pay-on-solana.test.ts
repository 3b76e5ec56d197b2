// @vitest-environment happy-dom
import {
  type Address,
  appendTransactionMessageInstructions,
  compileTransaction,
  createNoopSigner,
  createTransactionMessage,
  getAddressDecoder,
  getBase64EncodedWireTransaction,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit'
import { findAssociatedTokenPda, getTransferCheckedInstruction, TOKEN_PROGRAM_ADDRESS } from '@solana-program/token'
import { beforeEach, expect, test, vi } from 'vitest'
import type { FlowPorts } from '../../src/methods/method.ts'
import { keptFor } from '../../src/methods/wallet/kept-signature.ts'
import { payByTransfer } from '../../src/methods/wallet/pay-by-transfer.ts'
import { payBySignature } from '../../src/methods/wallet/pay-by-signature.ts'
import { payOnSolana, type SolanaStep } from '../../src/methods/wallet/solana/pay-on-solana.ts'
import type { SolanaWallet } from '../../src/methods/wallet/solana/standard-wallets.ts'
import { runFlow } from '../../src/model/running-flow.ts'
import { decodeHeader } from '../../src/wire/x402-header.ts'
import * as orders from '../support/orders/orders.ts'

/** How the page uses a wallet of Solana. The browser tests pay on a chain, and these cover what a wallet and a service may also do. */

const addressOf = (fill: number) => getAddressDecoder().decode(Uint8Array.from({ length: 32 }, (_, i) => (fill * 31 + i * 7 + 1) % 256))
const [payer, deposit, mint, operator] = [addressOf(1), addressOf(2), addressOf(3), addressOf(4)] as const
const currency = { ...orders.usdc, chain_id: 30_000_000_000_001, address: mint }
const offer = {
  scheme: 'exact',
  network: 'solana:test',
  asset: mint,
  amount: '42500000',
  payTo: deposit,
  maxTimeoutSeconds: 60,
  extra: { feePayer: operator, more: [1] },
}

async function transactionTo(receiver: Address, feePayer: Address, block = 9): Promise<string> {
  const accountOf = async (owner: Address) => (await findAssociatedTokenPda({ owner, mint, tokenProgram: TOKEN_PROGRAM_ADDRESS }))[0]
  const transfer = getTransferCheckedInstruction({
    source: await accountOf(payer),
    mint,
    destination: await accountOf(receiver),
    authority: createNoopSigner(payer),
    amount: 42_500_000n,
    decimals: 6,
  })
  const lifetime = { blockhash: addressOf(block) as string, lastValidBlockHeight: 9n } as never
  const message = pipe(
    createTransactionMessage({ version: 0 }),
    (empty) => setTransactionMessageFeePayer(feePayer, empty),
    (paid) => setTransactionMessageLifetimeUsingBlockhash(lifetime, paid),
    (timed) => appendTransactionMessageInstructions([transfer], timed),
  )
  return getBase64EncodedWireTransaction(compileTransaction(message))
}

const account = { address: payer, publicKey: new Uint8Array(32), chains: ['solana:mainnet'], features: [] }

function walletWith(features: object): SolanaWallet {
  const connecting = { 'standard:connect': { connect: async () => ({ accounts: [account] }) } }
  const standard = { name: 'Aurora', chains: ['solana:mainnet'], features: { ...connecting, ...features }, accounts: [] }
  return { rdns: 'solana:Aurora', name: 'Aurora', usedBefore: false, standard: standard as never }
}

let made = 0
let answer: { status: number; body: unknown }
/** What the service says of the network's fee. */
let cost: { status: number; body: unknown }
let ports: FlowPorts
beforeEach(() => {
  cost = { status: 404, body: {} }
  const order = orders.awaitingIn(currency, deposit, '42.5')
  const settled = { ...order, id: `ord_solana_${++made}`, settlements: [{ currency, amount: { raw: '42500000', ui: '42.5' } }] }
  ports = {
    api: {
      post: vi.fn(async (path: string) => {
        const { status, body } = path.endsWith('/cost') ? cost : answer
        return new Response(JSON.stringify(body), { status })
      }),
      findTransaction: vi.fn(async () => ({ found: true })),
    },
    order: () => settled,
    refresh: async () => {},
    now: () => 1_000_000,
  } as never
})

async function paid(wallet: SolanaWallet): Promise<{ connected: SolanaStep | undefined; ended: SolanaStep | undefined }> {
  const flow = runFlow(payOnSolana, async () => ports)
  await flow.run({ do: 'connect', wallet })
  const connected = flow.step.value
  if (connected?.at !== 'review') return { connected, ended: undefined }
  await flow.run({ do: 'pay', review: connected.review })
  return { connected, ended: flow.step.value }
}

test('default: where the service pays the fee, the wallet only signs, and the signature is stored with the unchanged offer', async () => {
  answer = { status: 200, body: { transaction: await transactionTo(deposit, operator), offer } }
  const signTransaction = vi.fn(async ({ transaction }: { transaction: Uint8Array }) => [{ signedTransaction: transaction }])
  const { connected, ended } = await paid(walletWith({ 'solana:signTransaction': { signTransaction } }))
  expect(connected).toMatchObject({ at: 'review', review: { to: deposit, due: { raw: 42_500_000n } } })
  expect(ended).toEqual({ at: 'signed' })
  const kept = keptFor(ports.order().id, ports.now())
  expect(kept?.from).toBe(payer)
  expect(decodeHeader(kept?.header ?? '')).toEqual({
    x402Version: 2,
    accepted: offer,
    payload: { transaction: (answer.body as { transaction: string }).transaction },
  })
})

test('error: an offer that differs from the screen, or a transaction that does, never reaches the wallet', async () => {
  const signTransaction = vi.fn()
  const wallet = walletWith({
    'solana:signTransaction': { signTransaction },
    'solana:signAndSendTransaction': { signAndSendTransaction: signTransaction },
  })
  const good = await transactionTo(deposit, operator)
  const wrong = [
    { transaction: good, offer: { ...offer, amount: '42500001' } },
    { transaction: good, offer: { ...offer, payTo: operator } },
    { transaction: good, offer: { ...offer, asset: operator } },
    { transaction: good, offer: { ...offer, extra: { feePayer: payer } } },
    { transaction: good, offer: null },
    { transaction: await transactionTo(operator, operator), offer },
    { transaction: await transactionTo(operator, payer), offer: null },
    { transaction: 'not base64', offer },
    { offer },
    null,
  ]
  for (const body of wrong) {
    answer = { status: 200, body }
    expect((await paid(wallet)).ended, JSON.stringify(body)).toEqual({ at: 'untrue' })
  }
  expect(signTransaction).not.toHaveBeenCalled()
})

test('behavior: what a wallet has sent is not sent again by this tab', async () => {
  answer = { status: 200, body: { transaction: await transactionTo(deposit, payer), offer: null } }
  const signAndSendTransaction = vi.fn(async () => [{ signature: new Uint8Array(64).fill(7) }])
  const wallet = walletWith({ 'solana:signAndSendTransaction': { signAndSendTransaction } })
  expect((await paid(wallet)).ended).toEqual({ at: 'sent' })
  expect(ports.api.findTransaction).toHaveBeenCalledOnce()
  expect((await paid(wallet)).ended).toEqual({ at: 'sent' })
  expect(signAndSendTransaction).toHaveBeenCalledOnce()
  // The service gives out another one only when the first has expired.
  answer = { status: 200, body: { transaction: await transactionTo(deposit, payer, 8), offer: null } }
  expect((await paid(wallet)).ended).toEqual({ at: 'sent' })
  expect(signAndSendTransaction).toHaveBeenCalledTimes(2)
})

const lamports = (raw: string, amount?: number) => ({
  raw,
  ...(amount !== undefined && { fiat: { amount, unit: 'USD', chain_id: 30_000_000_000_001 } }),
})
const asked = (path: string) =>
  vi.mocked(ports.api.post).mock.calls.flatMap(([to, , , body]) => (to.endsWith(path) ? [body as Readonly<Record<string, unknown>>] : []))

test('default: the payer reviews what the network takes, and a service that says nothing is no obstacle', async () => {
  const signAndSendTransaction = vi.fn(async () => [{ signature: new Uint8Array(64).fill(7) }])
  const wallet = walletWith({ 'solana:signAndSendTransaction': { signAndSendTransaction } })
  answer = { status: 200, body: { transaction: await transactionTo(deposit, payer), offer: null } }
  cost = { status: 200, body: { network_fee: lamports('5600', 0.01), account: lamports('2039280') } }
  const { connected, ended } = await paid(wallet)
  expect(connected).toMatchObject({
    at: 'review',
    review: {
      cost: {
        fee: { funds: { raw: 5_600n, currency: { symbol: 'SOL', decimals: 9 } }, fiat: { amount: 0.01, unit: 'USD' } },
        account: { funds: { raw: 2_039_280n }, fiat: undefined },
      },
    },
  })
  expect(ended).toEqual({ at: 'sent' })
  expect(asked('/cost')).toEqual(asked('/transaction'))
  expect(asked('/cost')).toMatchObject([{ token_address: mint, payer, amount: '42500000', signs_only: false }])
  for (const body of [
    {},
    null,
    [],
    { network_fee: lamports('-1'), account: null },
    { network_fee: null },
    { network_fee: 5, account: null },
  ]) {
    cost = { status: 200, body }
    expect((await paid(wallet)).connected, JSON.stringify(body)).toMatchObject({ at: 'review', review: { cost: undefined } })
  }
})

test('behavior: a payer whose review showed no fee sees one before the wallet is asked, if there is one after all', async () => {
  const signing = vi.fn()
  const signAndSendTransaction = vi.fn(async () => [{ signature: new Uint8Array(64).fill(7) }])
  const features = { 'solana:signTransaction': { signTransaction: signing }, 'solana:signAndSendTransaction': { signAndSendTransaction } }
  const wallet = walletWith(features)
  answer = { status: 200, body: { transaction: await transactionTo(deposit, payer), offer: null } }
  cost = { status: 200, body: { network_fee: null, account: null } }
  const flow = runFlow(payOnSolana, async () => ports)
  await flow.run({ do: 'connect', wallet })
  const first = flow.step.value
  if (first?.at !== 'review') throw new Error('nothing is reviewed')
  expect(first.review.cost).toEqual({ fee: null, account: null })
  cost = { status: 200, body: { network_fee: lamports('5600'), account: null } }
  await flow.run({ do: 'pay', review: first.review })
  const second = flow.step.value
  if (second?.at !== 'review') throw new Error('nothing is reviewed again')
  expect(second.review.cost).toMatchObject({ fee: { funds: { raw: 5_600n } } })
  expect(asked('/cost').map(({ signs_only }) => signs_only)).toEqual([true, false])
  expect(signAndSendTransaction).not.toHaveBeenCalled()
  await flow.run({ do: 'pay', review: second.review })
  expect(flow.step.value).toEqual({ at: 'sent' })
  expect(signing).not.toHaveBeenCalled()
})

test('default: the rest of an order is sent to its address, without new instructions, and the payer pays the fee', async () => {
  const signTransaction = vi.fn()
  const signAndSendTransaction = vi.fn(async () => [{ signature: new Uint8Array(64).fill(7) }])
  const wallet = walletWith({ 'solana:signTransaction': { signTransaction }, 'solana:signAndSendTransaction': { signAndSendTransaction } })
  const flow = runFlow(payByTransfer, async () => ports)
  const rest = { to: deposit, due: { raw: 42_500_000n, currency } }
  answer = { status: 200, body: { transaction: await transactionTo(deposit, payer), offer: null } }
  await flow.run({ do: 'solana', input: { do: 'connect', wallet, rest } })
  const step = flow.step.value
  if (step?.at !== 'solana' || step.step.at !== 'review') throw new Error(JSON.stringify(step))
  const { review } = step.step
  expect(review).toMatchObject({ to: deposit, due: rest.due, isRest: true, others: [] })
  await flow.run({ do: 'solana', input: { do: 'pay', review } })
  expect(flow.step.value).toEqual({ at: 'solana', step: { at: 'sent' } })
  expect(asked('/transaction')).toMatchObject([{ amount: '42500000', signs_only: false }])
  expect(signTransaction).not.toHaveBeenCalled()
  answer = { status: 200, body: { transaction: await transactionTo(operator, payer), offer: null } }
  await flow.run({ do: 'solana', input: { do: 'pay', review } })
  expect(flow.step.value).toEqual({ at: 'solana', step: { at: 'untrue' } })
  expect(signAndSendTransaction).toHaveBeenCalledOnce()
})

test('error: a refusal of the service is shown in its own words, and a silent one as a failure', async () => {
  const wallet = walletWith({})
  answer = { status: 409, body: { message: 'A wallet was just asked to pay this order.' } }
  const notice = { code: 'service_message', message: 'A wallet was just asked to pay this order.' }
  expect((await paid(wallet)).ended).toMatchObject({ at: 'review', notice })
  answer = { status: 503, body: {} }
  expect((await paid(wallet)).ended).toMatchObject({ at: 'review', notice: { code: 'failed' } })
})

test('error: a wallet without an account on Solana says that it is locked', async () => {
  const wallet = walletWith({ 'standard:connect': { connect: async () => ({ accounts: [] }) } })
  expect((await paid(wallet)).connected).toMatchObject({ at: 'stopped', notice: { code: 'locked' } })
})

test('behavior: an order whose merchant is paid on Solana alone asks no other wallets, and lists those that come later', async () => {
  const asked = vi.fn()
  addEventListener('eip6963:requestProvider', asked)
  const flow = runFlow(payBySignature, async () => ports)
  void flow.run({ do: 'list' })
  await vi.waitFor(() => expect(flow.step.value).toMatchObject({ at: 'list', wallets: [], onSolana: [], looking: false, remote: false }), {
    timeout: 60_000,
  })
  const { standard } = walletWith({})
  dispatchEvent(
    new CustomEvent('wallet-standard:register-wallet', {
      detail: (registry: { register(wallet: object): void }) => registry.register(standard),
    }),
  )
  await vi.waitFor(() => expect(flow.step.value).toMatchObject({ onSolana: [{ name: 'Aurora', network: 30_000_000_000_001 }] }), {
    timeout: 60_000,
  })
  expect(asked).not.toHaveBeenCalled()
  flow.stop()
  removeEventListener('eip6963:requestProvider', asked)
})
