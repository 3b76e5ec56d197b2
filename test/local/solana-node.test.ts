import { type Address, getSignatureFromTransaction, lamports, type Signature } from '@solana/kit'
import { getTransferSolInstruction } from '@solana-program/system'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startSolanaNode, type SolanaNode } from '../../local/solana/start-solana-node.ts'
import { solanaNodeContract } from '../contracts/solana-node.ts'
import { type Signed, type SolanaWallets, solanaWallets, wireOf } from '../support/wallets/solana-wallet.ts'

solanaNodeContract('ours', () => startSolanaNode({ slots: { ms: 20 } }))

const url = process.env.TILL_SOLANA_RPC
/** A validator on this machine has its subscriptions on the next port. */
const wsUrl = process.env.TILL_SOLANA_WS ?? url?.replace('http', 'ws').replace(':8899', ':8900')
if (url !== undefined && wsUrl !== undefined) solanaNodeContract(url, async () => ({ url, wsUrl, stop: async () => undefined }))

describe('our Solana node, slot by slot', () => {
  let node: SolanaNode
  let wallets: SolanaWallets
  const base64 = { encoding: 'base64' } as const

  beforeAll(async () => {
    node = await startSolanaNode({ slots: 'manual', finalAfter: 3 })
    wallets = solanaWallets(node.url, node.wsUrl)
  })
  afterAll(() => node?.stop())

  /** Signs and sends a payment of an account with coins, and resolves before it is confirmed. */
  async function pay(amount: bigint) {
    const [from, to] = [await wallets.newAccount(), await wallets.newAccount()]
    await wallets.rpc.requestAirdrop(from.address, lamports(10_000_000n)).send()
    node.ledger.advance(1)
    const signed = await wallets.sign(from, [getTransferSolInstruction({ source: from, destination: to.address, amount })])
    const signature = await wallets.rpc.sendTransaction(wireOf(signed), base64).send()
    return { from: from.address, to: to.address, signed, signature }
  }
  const balances = async (address: Address) =>
    Promise.all(
      (['processed', 'confirmed', 'finalized'] as const).map(
        async (commitment) => (await wallets.rpc.getBalance(address, { commitment }).send()).value,
      ),
    )
  const statusOf = async (signature: Signature) => (await wallets.rpc.getSignatureStatuses([signature]).send()).value[0]
  const send = (signed: Signed) => wallets.rpc.sendTransaction(wireOf(signed), { ...base64, skipPreflight: true }).send()

  test('default: a payment is processed at once, confirmed with the next slot, and final after three more', async () => {
    const { to, signature } = await pay(2_000_000n)
    expect(await balances(to)).toEqual([2_000_000n, 0n, 0n])
    node.ledger.advance(1)
    expect(await balances(to)).toEqual([2_000_000n, 2_000_000n, 0n])
    node.ledger.advance(2)
    expect(await statusOf(signature)).toMatchObject({ confirmationStatus: 'confirmed', confirmations: 3n })
    node.ledger.advance(1)
    expect(await balances(to)).toEqual([2_000_000n, 2_000_000n, 2_000_000n])
    expect(await statusOf(signature)).toMatchObject({ confirmationStatus: 'finalized', confirmations: null })
  })

  test('behavior: a fork removes what was in its blocks, uses new slots, and takes the same transaction again', async () => {
    const { from, to, signed, signature } = await pay(2_000_000n)
    node.ledger.advance(2)
    const before = node.ledger.tip('processed')
    const removed = node.ledger.fork(2)
    expect(removed.map((wire) => wire.signature)).toEqual([signature])
    expect(node.ledger.tip('processed').slot).toBe(before.slot + 1)
    expect(node.ledger.tip('processed').height).toBe(before.height - 2)
    expect(await statusOf(signature)).toBeNull()
    expect(await balances(to)).toEqual([0n, 0n, 0n])
    expect((await balances(from))[0]).toBe(10_000_000n)
    expect(await wallets.rpc.getSignaturesForAddress(to, { commitment: 'confirmed' }).send()).toEqual([])
    await send(signed)
    node.ledger.advance(1)
    expect(await balances(to)).toEqual([2_000_000n, 2_000_000n, 0n])
  })

  test('error: what is final cannot be forked away', async () => {
    node.ledger.advance(5)
    expect(() => node.ledger.fork(4)).toThrow('not possible')
  })

  test('behavior: a skipped slot has no block, and its neighbours know each other', async () => {
    node.ledger.advance(1)
    const last = node.ledger.tip('confirmed')
    const open = node.ledger.tip('processed')
    node.ledger.skip(2)
    node.ledger.advance(5)
    const slots = await wallets.rpc.getBlocks(BigInt(last.slot), BigInt(open.slot + 3)).send()
    expect(slots).toEqual([last.slot, open.slot, open.slot + 3].map(BigInt))
    const next = await wallets.rpc.getBlock(BigInt(open.slot + 3), { transactionDetails: 'none', rewards: false }).send()
    expect(next).toMatchObject({ parentSlot: BigInt(open.slot), previousBlockhash: open.hash })
    await expect(wallets.rpc.getBlock(BigInt(open.slot + 1)).send()).rejects.toThrow('skipped')
  })

  test('behavior: a transaction expires 150 blocks after the one that it names', async () => {
    const { from, signed } = await pay(1_000_000n)
    node.ledger.fork(1)
    node.ledger.advance(150)
    await send(signed)
    expect((await balances(from))[0]).toBe(0n)
    expect(await statusOf(getSignatureFromTransaction(signed))).toBeNull()
  })
})

afterAll(() => console.log(`The Solana node contract ran on our node${url === undefined ? '' : ` and ${url}`}.`))
