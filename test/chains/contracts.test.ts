import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Address, Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { receiptCall } from '../../server/chains/evm/rpc-calls.ts'
import { TestDollar } from '../../server/chains/evm/contracts/artifacts/TestDollar.ts'
import { TestSender } from '../../server/chains/evm/contracts/artifacts/TestSender.ts'
import { full } from '../support/full.ts'
import { root } from '../support/root.ts'
import { alice, bob, owner, signal, startTestChain, type TestChain } from './support.ts'
import { authorizationTypes } from '../support/wallets/authorization-types.ts'

describe('compiled contracts', () => {
  const check = (folder: string) => promisify(execFile)('node', [join(folder, 'compile.mjs'), '--check'])

  // `npm run check` verifies the same on every change.
  test.runIf(full)('behavior: match their sources', async () => {
    await check(join(root, 'server/chains/evm/contracts'))
  })

  test('error: a changed source is reported in one sentence', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'till-contracts-'))
    try {
      cpSync(join(root, 'server/chains/evm/contracts'), folder, { recursive: true })
      symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
      const source = join(folder, 'TestFalseToken.sol')
      writeFileSync(source, readFileSync(source, 'utf8').replace('return false', 'return true'))
      await expect(check(folder)).rejects.toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/^The contracts .*TestFalseToken.*\.\n$/),
      })
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})

describe('TestDollar, as x402 uses it', () => {
  let testChain: TestChain
  let nonces = 0
  beforeAll(async () => {
    testChain = await startTestChain()
  })
  afterAll(() => testChain?.stop())

  const authorize = async (from: string, signer: { private_key: Hex }, over: { validBefore?: bigint; nonce?: Hex } = {}) => {
    const message = {
      from: from as Address,
      to: testChain.depositAddress('x402') as Address,
      value: 5n,
      validAfter: 0n,
      validBefore: over.validBefore ?? 1n << 40n,
      nonce: over.nonce ?? (`0x${(++nonces).toString(16).padStart(64, '0')}` as Hex),
    }
    const signature = await privateKeyToAccount(signer.private_key).signTypedData({
      domain: { name: 'USD Coin', version: '2', chainId: 8453, verifyingContract: testChain.token('USDC') },
      types: authorizationTypes,
      primaryType: 'TransferWithAuthorization',
      message,
    })
    return {
      args: [message.from, message.to, message.value, message.validAfter, message.validBefore, message.nonce],
      signature,
      nonce: message.nonce,
    }
  }
  const split = (signature: Hex) => [Number(`0x${signature.slice(130)}`), signature.slice(0, 66), `0x${signature.slice(66, 130)}`]
  const submit = async (functionName: string, args: readonly unknown[]) => {
    const hash = await testChain.call(bob, { address: testChain.token('USDC'), abi: TestDollar.abi, functionName, args })
    const [receipt] = await testChain.chain.rpc.read(signal, receiptCall(hash))
    return { ok: receipt?.status === 1n, hash }
  }

  test('behavior: accepts both signature forms, and the transfer is seen', async () => {
    const authorization = await authorize(alice.address, alice)
    const two = await authorize(alice.address, alice)
    const { ok, hash } = await submit('transferWithAuthorization', [...authorization.args, authorization.signature])
    expect(ok).toBe(true)
    expect((await testChain.chain.transaction(hash, signal))?.transfers).toMatchObject([
      { from: alice.address, amount: 5n, to: testChain.depositAddress('x402') },
    ])
    expect((await submit('transferWithAuthorization', [...two.args, ...split(two.signature)])).ok).toBe(true)
  })

  test("behavior: accepts a contract wallet's signature", async () => {
    const wallet = await testChain.deploy(TestSender, [alice.address])
    await testChain.sendToken(alice, 'USDC', wallet, 20n)
    const own = await authorize(wallet, alice)
    expect((await submit('transferWithAuthorization', [...own.args, own.signature])).ok).toBe(true)
    const stolen = await authorize(wallet, bob)
    expect((await submit('transferWithAuthorization', [...stolen.args, stolen.signature])).ok).toBe(false)
  })

  test('error: refuses a reused, untimely, foreign or cancelled authorization', async () => {
    const once = await authorize(alice.address, alice)
    expect((await submit('transferWithAuthorization', [...once.args, once.signature])).ok).toBe(true)
    expect((await submit('transferWithAuthorization', [...once.args, once.signature])).ok).toBe(false)
    const late = await authorize(alice.address, alice, { validBefore: 1n })
    expect((await submit('transferWithAuthorization', [...late.args, late.signature])).ok).toBe(false)
    const forged = await authorize(alice.address, bob)
    expect((await submit('transferWithAuthorization', [...forged.args, forged.signature])).ok).toBe(false)
    const cancelled = await authorize(alice.address, alice)
    const cancellation = await privateKeyToAccount(alice.private_key).signTypedData({
      domain: { name: 'USD Coin', version: '2', chainId: 8453, verifyingContract: testChain.token('USDC') },
      types: {
        CancelAuthorization: [
          { name: 'authorizer', type: 'address' },
          { name: 'nonce', type: 'bytes32' },
        ],
      },
      primaryType: 'CancelAuthorization',
      message: { authorizer: alice.address as Address, nonce: cancelled.nonce },
    })
    expect((await submit('cancelAuthorization', [alice.address, cancelled.nonce, cancellation])).ok).toBe(true)
    expect((await submit('transferWithAuthorization', [...cancelled.args, cancelled.signature])).ok).toBe(false)
  })

  test('error: nothing moves while paused, nothing to or from a blacklisted account', async () => {
    const own = { address: testChain.token('USDC'), abi: TestDollar.abi }
    await testChain.call(owner, { ...own, functionName: 'pause', args: [] })
    const paused = await authorize(alice.address, alice)
    expect((await submit('transferWithAuthorization', [...paused.args, paused.signature])).ok).toBe(false)
    await testChain.call(owner, { ...own, functionName: 'unpause', args: [] })
    await testChain.call(owner, { ...own, functionName: 'blacklist', args: [alice.address] })
    expect((await submit('transferWithAuthorization', [...paused.args, paused.signature])).ok).toBe(false)
    await testChain.call(owner, { ...own, functionName: 'unBlacklist', args: [alice.address] })
    expect((await submit('transferWithAuthorization', [...paused.args, paused.signature])).ok).toBe(true)
  })
})
