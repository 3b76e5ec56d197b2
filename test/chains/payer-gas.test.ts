import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { encodeFunctionData, erc20Abi, type Hex, parseAbi, parseSignature, toHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { TestSender } from '../../server/chains/evm/contracts/artifacts/TestSender.ts'
import { authorizationTypes } from '../support/wallets/authorization-types.ts'
import { root } from '../support/root.ts'
import { alice, bob, startTestChain, type TestChain } from './support.ts'

/** The ways in which a wallet can pay, in the gas that the payer or the operator pays for. docs/wallets.md has these figures. */

let chain: TestChain
beforeAll(async () => {
  chain = await startTestChain()
})
afterAll(() => chain?.stop())

async function gasOf(hash: Hex): Promise<number> {
  const [receipt] = await chain.anvil.ask(['eth_getTransactionReceipt', hash])
  const { gasUsed, status } = receipt as { gasUsed: Hex; status: Hex }
  expect(status).toBe('0x1')
  return Number(gasUsed)
}

let orders = 0
/** An address at which nobody has ever had money, as those of orders are. */
const address = () => chain.depositAddress(`gas-${orders++}`)

async function authorized(): Promise<number> {
  const account = privateKeyToAccount(alice.private_key)
  const [token, nonce] = [chain.token('USDC'), toHex(randomBytes(32))]
  const message = { from: account.address, to: address() as Hex, value: 1_000_000n, validAfter: 0n, validBefore: 9_999_999_999n, nonce }
  const signature = await account.signTypedData({
    domain: { name: 'USD Coin', version: '2', chainId: 8453, verifyingContract: token },
    types: authorizationTypes,
    primaryType: 'TransferWithAuthorization',
    message,
  })
  const { r, s, yParity } = parseSignature(signature)
  const abi = parseAbi(['function transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)'])
  const args = [...Object.values(message), 27 + yParity, r, s]
  return gasOf(await chain.call(bob, { address: token, abi, functionName: 'transferWithAuthorization', args }))
}

async function fromContract(): Promise<number> {
  const wallet = await chain.deploy(TestSender, [alice.address])
  await chain.sendToken(bob, 'USDC', wallet, 2_000_000n)
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [address() as Hex, 1_000_000n] })
  const call = { address: wallet, abi: TestSender.abi, functionName: 'execute', args: [chain.token('USDC'), 0n, data] }
  return gasOf(await chain.call(alice, call))
}

const token = async (symbol: string) => gasOf(await chain.sendToken(alice, symbol, address(), 1_000_000n))

const ways: Readonly<Record<string, () => Promise<number>>> = {
  'signature (EIP-3009), USDC': authorized,
  'transfer of USDC': () => token('USDC'),
  'transfer of USDT': () => token('USDT'),
  'transfer of DAI': () => token('DAI'),
  'transfer of WETH': () => token('WETH'),
  'transfer of the coin': async () => gasOf(await chain.sendNative(alice, address(), 1_000_000n)),
  'transfer of USDC from a contract account': fromContract,
}

test.each(Object.keys(ways))('default: %s uses the gas that the docs say', async (way) => {
  const row = readFileSync(join(root, 'docs/wallets.md'), 'utf8')
    .split('\n')
    .find((line) => line.startsWith(`| ${way} |`))
  const stated = Number(/\| ([\d,]+) gas \|/.exec(row ?? '')?.[1]?.replaceAll(',', ''))
  const used = await ways[way]!()
  // Zero bytes of addresses are cheaper, so two transfers may differ by a little.
  expect(Math.abs(used - stated), `${way} used ${used}`).toBeLessThan(200)
})
