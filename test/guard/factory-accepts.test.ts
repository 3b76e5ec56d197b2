import { createPublicClient, createWalletClient, http, type Address, type Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { termsAddress } from '../../src/wire/terms/terms-hash.ts'
import { operator, owner } from '../../local/chains/accounts.ts'
import { type Anvil, startAnvil } from '../../local/chains/anvil.ts'
import type { Call } from '../../server/chains/evm/call.ts'
import { TillFactory } from '../../server/chains/evm/contracts/artifacts/TillFactory.ts'
import { refundCall } from '../../server/chains/evm/factory-calls.ts'
import { approvedSignature } from '../../server/guard/check-guard.ts'
import { createRpc } from '../../server/chains/evm/rpc.ts'
import { moveDigest } from '../../server/chains/evm/move-digest.ts'
import type { GuardRequest } from '../../server/chains/guard.ts'
import { coin, payer, signerOf, surplus } from './support.ts'

/** The real factory pays a refund with the guard's signature and with no other. */

const signal = new AbortController().signal
const wallet: Hex = '0x604435600114631626ba7e0260e01b60005260206000f3'
let anvil: Anvil
let factory: Address

beforeAll(async () => {
  anvil = await startAnvil({ chainId: 8453 })
  await anvil.ask(['evm_setAutomine', true])
  for (const { address } of [owner, operator]) await anvil.ask(['anvil_setBalance', address, '0x56bc75e2d63100000'])
  const deploying = walletOf(owner).deployContract({
    abi: TillFactory.abi,
    bytecode: TillFactory.bytecode,
    args: [owner.address as Address],
    chain: null,
  })
  factory = (await client().waitForTransactionReceipt({ hash: await deploying })).contractAddress!
  const hash = await walletOf(owner).writeContract({
    address: factory,
    abi: TillFactory.abi,
    functionName: 'setOperator',
    args: [operator.address as Address, true],
    chain: null,
  })
  await client().waitForTransactionReceipt({ hash })
})
afterAll(() => anvil?.stop())

const transport = () => http(anvil.rpcUrl)
const client = () => createPublicClient({ transport: transport(), pollingInterval: 10 })
const walletOf = ({ private_key }: { private_key: Hex }) =>
  createWalletClient({ account: privateKeyToAccount(private_key), transport: transport() })

async function send({ to, data }: Call): Promise<string> {
  const hash = await walletOf(operator).sendTransaction({ to: to as Address, data: data as Hex, gas: 3_000_000n, chain: null })
  return (await client().waitForTransactionReceipt({ hash })).status
}

async function paidRequest(nonce: bigint, guard: string): Promise<GuardRequest> {
  const { timestamp } = await client().getBlock()
  const request = surplus(
    { tokenIn: coin, tokenOut: coin, legs: [{ to: payer, amount: 1_000n }], nonce, deadline: timestamp + 600n },
    { factory, guard, order_id: `ord_${nonce}` },
  )
  await anvil.ask(['anvil_setBalance', termsAddress(request.terms), '0x3e8'])
  return request
}

const balance = () => client().getBalance({ address: payer as Address })

test('default: a key’s signature moves the refund once', async () => {
  const request = await paidRequest(1n, signerOf.address)
  const signature = await signerOf.sign(request, signal)
  const before = await balance()
  const wrong = await signerOf.sign({ ...request, move: { ...request.move, nonce: 7n } }, signal)
  expect(await send(refundCall(request.terms, { ...request.move, signature: wrong }))).toBe('reverted')
  expect(await send(refundCall(request.terms, { ...request.move, signature }))).toBe('success')
  expect(await send(refundCall(request.terms, { ...request.move, signature }))).toBe('reverted')
  expect((await balance()) - before).toBe(1_000n)
})

test('behavior: a key’s signature in any common form is brought into the one that the factory accepts', async () => {
  const rpc = createRpc(8453, [anvil.rpcUrl])
  const forms: ((signature: Hex) => Hex)[] = [
    (signature) => `0x${signature.slice(2, -2)}${signature.endsWith('1b') ? '00' : '01'}`,
    (signature) => {
      const s = BigInt(`0x${signature.slice(66, 130)}`) | (signature.endsWith('1c') ? 1n << 255n : 0n)
      return `0x${signature.slice(2, 66)}${s.toString(16).padStart(64, '0')}`
    },
  ]
  // Several nonces make both last bytes appear.
  for (const [i, form] of [...forms, ...forms, ...forms].entries()) {
    const request = await paidRequest(BigInt(100 + i), signerOf.address)
    const signature = await signerOf.sign(request, signal)
    const accepted = await approvedSignature(rpc, signerOf.address, moveDigest(request), form(signature), signal)
    expect(accepted).toBe(signature)
    expect(await send(refundCall(request.terms, { ...request.move, signature: accepted! }))).toBe('success')
  }
})

test('behavior: what the command accepts of a contract wallet, the factory accepts', async () => {
  const at = `0x${'c0de'.padStart(40, '0')}`
  await anvil.ask(['anvil_setCode', at, wallet])
  const request = await paidRequest(2n, at)
  const rpc = createRpc(8453, [anvil.rpcUrl])
  for (const [signature, status] of [
    ['0x0708', 'reverted'],
    ['0x07', 'success'],
  ] as const) {
    const accepted = await approvedSignature(rpc, at, moveDigest(request), signature, signal)
    expect(accepted).toBe(status === 'success' ? signature : undefined)
    expect(await send(refundCall(request.terms, { ...request.move, signature }))).toBe(status)
  }
})
