import { type Abi, type Address, domainSeparator, encodeFunctionData, erc20Abi, type Hex, parseEventLogs } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { TestDai } from '../../server/chains/evm/contracts/artifacts/TestDai.ts'
import { TestDollar } from '../../server/chains/evm/contracts/artifacts/TestDollar.ts'
import { TestSender } from '../../server/chains/evm/contracts/artifacts/TestSender.ts'
import { TestTether } from '../../server/chains/evm/contracts/artifacts/TestTether.ts'
import { receiptCall } from '../../server/chains/evm/rpc-calls.ts'
import type { LocalAccount } from '../../local/chains/accounts.ts'
import { alice, bob, owner, shop, signal, startTestChain, type TestChain } from './support.ts'
import { authorizationTypes } from '../support/wallets/authorization-types.ts'

/** The tokens of local mode behave as the real ones do, wherever these differ from what everybody expects of a token. */
let chain: TestChain
beforeAll(async () => {
  chain = await startTestChain()
})
afterAll(() => chain?.stop())

async function send(from: LocalAccount, symbol: string, abi: Abi, functionName: string, args: readonly unknown[]) {
  const hash = await chain.call(from, { address: chain.token(symbol), abi, functionName, args })
  const [receipt] = await chain.chain.rpc.read(signal, receiptCall(hash))
  return { ok: receipt!.status === 1n, gas: receipt!.gasUsed, logs: receipt!.logs }
}
async function ask(symbol: string, abi: Abi, functionName: string, args: readonly unknown[] = []): Promise<Hex> {
  const call = { from: alice.address, to: chain.token(symbol), data: encodeFunctionData({ abi, functionName, args }) }
  const [answer] = await chain.anvil.ask(['eth_call', call, 'latest'])
  return answer as Hex
}
const number = async (...args: Parameters<typeof ask>) => BigInt(await ask(...args))
const rsv = (signature: Hex) => [Number(`0x${signature.slice(130)}`), signature.slice(0, 66), `0x${signature.slice(66, 130)}`]
const allowance = (symbol: string, holder: string, spender: string) => number(symbol, erc20Abi, 'allowance', [holder, spender])
const balance = (symbol: string, account: string) => number(symbol, erc20Abi, 'balanceOf', [account])
const deadline = 1n << 40n

describe('a dollar like Circle’s FiatToken v2.2', () => {
  const domain = () => ({ name: 'USD Coin', version: '2', chainId: 8453, verifyingContract: chain.token('USDC') })
  const permit = async (holder: string, signer: LocalAccount, value: bigint, until = deadline) =>
    privateKeyToAccount(signer.private_key).signTypedData({
      domain: domain(),
      types: {
        Permit: [
          { name: 'owner', type: 'address' },
          { name: 'spender', type: 'address' },
          { name: 'value', type: 'uint256' },
          { name: 'nonce', type: 'uint256' },
          { name: 'deadline', type: 'uint256' },
        ],
      },
      primaryType: 'Permit',
      message: {
        owner: holder as Address,
        spender: bob.address as Address,
        value,
        nonce: await number('USDC', TestDollar.abi, 'nonces', [holder]),
        deadline: until,
      },
    })
  const dollar = (from: LocalAccount, functionName: string, args: readonly unknown[]) =>
    send(from, 'USDC', TestDollar.abi, functionName, args)

  test('default: its EIP-712 domain is that of USDC on Ethereum and Base', async () => {
    expect(await ask('USDC', TestDollar.abi, 'DOMAIN_SEPARATOR')).toBe(domainSeparator({ domain: domain() }))
    expect(chain.config.tokens.find(({ symbol }) => symbol === 'USDC')?.eip3009).toEqual({ name: 'USD Coin', version: '2' })
  })

  test('behavior: a permit is signed in either form, also by a contract wallet, and works once', async () => {
    const split = await permit(alice.address, alice, 7n)
    expect((await dollar(bob, 'permit', [alice.address, bob.address, 7n, deadline, ...rsv(split)])).ok).toBe(true)
    expect(await allowance('USDC', alice.address, bob.address)).toBe(7n)
    const whole = await permit(alice.address, alice, 8n)
    expect((await dollar(bob, 'permit', [alice.address, bob.address, 8n, deadline, whole])).ok).toBe(true)
    expect((await dollar(bob, 'permit', [alice.address, bob.address, 8n, deadline, whole])).ok).toBe(false)
    const wallet = await chain.deploy(TestSender, [alice.address])
    expect((await dollar(bob, 'permit', [wallet, bob.address, 9n, deadline, await permit(wallet, alice, 9n)])).ok).toBe(true)
    expect(await allowance('USDC', wallet, bob.address)).toBe(9n)
  })

  test('error: refuses a permit that is late, or signed by somebody else', async () => {
    expect((await dollar(bob, 'permit', [alice.address, bob.address, 1n, 1n, await permit(alice.address, alice, 1n, 1n)])).ok).toBe(false)
    expect((await dollar(bob, 'permit', [alice.address, bob.address, 1n, deadline, await permit(alice.address, bob, 1n)])).ok).toBe(false)
  })

  test('behavior: an allowance is used up however large it is, and can be raised and lowered', async () => {
    const most = 2n ** 256n - 1n
    await dollar(alice, 'approve', [bob.address, most])
    expect((await dollar(bob, 'transferFrom', [alice.address, shop, 5n])).ok).toBe(true)
    expect(await allowance('USDC', alice.address, bob.address)).toBe(most - 5n)
    await dollar(alice, 'approve', [bob.address, 1n])
    await dollar(alice, 'increaseAllowance', [bob.address, 4n])
    await dollar(alice, 'decreaseAllowance', [bob.address, 2n])
    expect(await allowance('USDC', alice.address, bob.address)).toBe(3n)
    expect((await dollar(alice, 'decreaseAllowance', [bob.address, 4n])).ok).toBe(false)
  })

  test('behavior: who relays an authorisation may be blacklisted, who pays and who is paid may not, and the token itself is', async () => {
    const message = {
      from: alice.address as Address,
      to: shop as Address,
      value: 3n,
      validAfter: 0n,
      validBefore: deadline,
      nonce: `0x${'7'.repeat(64)}` as Hex,
    }
    const signature = await privateKeyToAccount(alice.private_key).signTypedData({
      domain: domain(),
      types: authorizationTypes,
      primaryType: 'TransferWithAuthorization',
      message,
    })
    await dollar(owner, 'blacklist', [bob.address])
    expect((await dollar(bob, 'transferWithAuthorization', [...Object.values(message), signature])).ok).toBe(true)
    expect((await dollar(alice, 'transfer', [bob.address, 1n])).ok).toBe(false)
    await dollar(owner, 'unBlacklist', [bob.address])
    expect((await dollar(alice, 'transfer', [bob.address, 1n])).ok).toBe(true)
    expect((await dollar(alice, 'transfer', [chain.token('USDC'), 1n])).ok).toBe(false)
  })
})

describe('a dollar like Tether on Ethereum', () => {
  const tether = (from: LocalAccount, functionName: string, args: readonly unknown[]) =>
    send(from, 'USDT', TestTether.abi, functionName, args)

  test('default: returns nothing', async () => {
    expect(await ask('USDT', erc20Abi, 'transfer', [shop, 1n])).toBe('0x')
    expect(await ask('USDT', erc20Abi, 'approve', [bob.address, 1n])).toBe('0x')
  })

  test('behavior: an allowance must be zero before it changes, and the largest is never used up', async () => {
    const most = 2n ** 256n - 1n
    expect((await tether(alice, 'approve', [bob.address, most])).ok).toBe(true)
    expect((await tether(alice, 'approve', [bob.address, 5n])).ok).toBe(false)
    expect((await tether(bob, 'transferFrom', [alice.address, shop, 5n])).ok).toBe(true)
    expect(await allowance('USDT', alice.address, bob.address)).toBe(most)
    expect((await tether(alice, 'approve', [bob.address, 0n])).ok).toBe(true)
  })

  test('behavior: what a balance does not cover burns all the gas', async () => {
    const { ok, gas } = await tether(alice, 'transfer', [shop, 2n ** 200n])
    expect(ok).toBe(false)
    expect(gas).toBe(3_000_000n)
  })

  test('behavior: the blacklist stops senders alone', async () => {
    await tether(owner, 'addBlackList', [alice.address])
    expect((await tether(alice, 'transfer', [shop, 1n])).ok).toBe(false)
    expect((await tether(owner, 'transfer', [alice.address, 1n])).ok).toBe(true)
    await tether(owner, 'removeBlackList', [alice.address])
    expect((await tether(alice, 'transfer', [shop, 1n])).ok).toBe(true)
  })

  test('behavior: its owner may take a fee of every transfer, and the event names what arrives', async () => {
    expect((await tether(owner, 'setParams', [20n, 1n])).ok).toBe(false)
    await tether(owner, 'setParams', [10n, 1n])
    const before = await balance('USDT', shop)
    const { logs } = await tether(alice, 'transfer', [shop, 1_000_000n])
    expect((await balance('USDT', shop)) - before).toBe(999_000n)
    const events = parseEventLogs({ abi: TestTether.abi, logs: logs as never, eventName: 'Transfer' })
    expect(events.map(({ args }) => [args.to.toLowerCase(), args.value])).toEqual([
      [owner.address, 1_000n],
      [shop, 999_000n],
    ])
    await tether(owner, 'setParams', [0n, 0n])
  })
})

describe('a token like Dai', () => {
  test('default: its permit names holder, nonce and expiry, and allows everything or nothing', async () => {
    const sign = (signer: LocalAccount, nonce: bigint, expiry: bigint, allowed: boolean) =>
      privateKeyToAccount(signer.private_key).signTypedData({
        domain: { name: 'Dai Stablecoin', version: '1', chainId: 8453, verifyingContract: chain.token('DAI') },
        types: {
          Permit: [
            { name: 'holder', type: 'address' },
            { name: 'spender', type: 'address' },
            { name: 'nonce', type: 'uint256' },
            { name: 'expiry', type: 'uint256' },
            { name: 'allowed', type: 'bool' },
          ],
        },
        primaryType: 'Permit',
        message: { holder: alice.address as Address, spender: bob.address as Address, nonce, expiry, allowed },
      })
    const permit = async (nonce: bigint, expiry: bigint, allowed: boolean, signer = alice) => {
      const args = [alice.address, bob.address, nonce, expiry, allowed, ...rsv(await sign(signer, nonce, expiry, allowed))]
      return (await send(bob, 'DAI', TestDai.abi, 'permit', args)).ok
    }
    expect(await permit(0n, 1n, true)).toBe(false)
    expect(await permit(0n, 0n, true, bob)).toBe(false)
    expect(await permit(0n, 0n, true)).toBe(true)
    expect(await allowance('DAI', alice.address, bob.address)).toBe(2n ** 256n - 1n)
    expect(await permit(0n, 0n, true)).toBe(false)
    expect(await permit(1n, deadline, false)).toBe(true)
    expect(await allowance('DAI', alice.address, bob.address)).toBe(0n)
  })
})

describe('wrapped coin', () => {
  test('default: is WETH9, and one of it is one coin', async () => {
    const before = await balance('WETH', alice.address)
    await chain.sendNative(alice, chain.token('WETH'), 5n)
    expect((await balance('WETH', alice.address)) - before).toBe(5n)
    const supply = await number('WETH', erc20Abi, 'totalSupply')
    const [held] = await chain.anvil.ask(['eth_getBalance', chain.token('WETH'), 'latest'])
    expect(BigInt(held as Hex)).toBe(supply)
  })
})
