import { encodeFunctionData, erc20Abi, type Address } from 'viem'
import * as z from 'zod'
import { multicallAddress } from '../../server/chains/evm/balances.ts'
import { LocalMulticall } from '../../server/chains/evm/contracts/artifacts/LocalMulticall.ts'
import { TillFactory } from '../../server/chains/evm/contracts/artifacts/TillFactory.ts'
import { numberToHex } from '../../server/chains/evm/rpc-calls.ts'
import { operator, owner, payers } from './accounts.ts'
import type { Anvil } from './anvil.ts'
import { enableLowestTier, pools, poolSteps, type Step } from './pools.ts'
import { deployments, factory, initialWrapped, wrapped } from './tokens.ts'
import { exchange, uniswapDeployments } from './uniswap.ts'

const contracts = [...deployments, ...uniswapDeployments]
/** A node drops what it meets after a transaction for which a block has no gas left, so one block takes all of them. */
const gasOfSeed = 200_000_000n

/** Deploys what is missing and adds liquidity. One account's transactions are ordered by nonce, so all go in one request and one block. */
export async function seed(anvil: Anvil): Promise<void> {
  const codes = await anvil.ask(...contracts.map(({ address }) => ['eth_getCode', address, 'latest'] as const))
  const missing = contracts.filter((_, i) => codes[i] === '0x')
  if (missing.length === 0) return

  const accounts = [operator, owner, ...payers].map(({ address }) => address)
  const [nonce] = await anvil.ask(
    ['eth_getTransactionCount', owner.address, 'latest'],
    ['anvil_setCode', multicallAddress, LocalMulticall.deployedBytecode],
    ['anvil_impersonateAccount', owner.address],
    // The base fee starts at its lowest, since the minimum order depends on the gas price and must not depend on the chain's age.
    ['anvil_setNextBlockBaseFeePerGas', '0x1'],
    ...accounts.map((address) => ['anvil_setBalance', address, numberToHex(100_000n * 10n ** 18n)] as const),
  )
  const steps: Step[] = [
    ...missing.map(({ to, data }) => ({ to, data, gas: 7_000_000n })),
    ...permissions(),
    ...wrappedCoin(),
    enableLowestTier,
    ...pools.flatMap((pool) => poolSteps(pool, owner.address)),
  ]
  const hashes = await anvil.ask(...steps.map((step, i) => ['eth_sendTransaction', transaction(step, Number(nonce) + i)] as const))
  const [latest] = await anvil.ask(['eth_getBlockByNumber', 'latest', false])
  const { gasLimit } = z.object({ gasLimit: z.string() }).parse(latest)
  await anvil.ask(['evm_setBlockGasLimit', numberToHex(gasOfSeed)])
  await anvil.ask(['evm_mine'])
  await anvil.ask(['evm_setBlockGasLimit', gasLimit], ['anvil_stopImpersonatingAccount', owner.address])
  const receipts = await anvil.ask(...hashes.map((hash) => ['eth_getTransactionReceipt', hash] as const))
  const failed = receipts.findIndex((receipt) => (receipt as { status?: string } | null)?.status !== '0x1')
  if (failed >= 0) throw new Error(`The local chain ${anvil.chainId} could not be prepared: step ${failed} of ${steps.length} failed.`)
}

function permissions(): Step[] {
  const { abi } = TillFactory
  return [
    { to: factory.address, data: encodeFunctionData({ abi, functionName: 'setOperator', args: [operator.address as Address, true] }) },
    { to: factory.address, data: encodeFunctionData({ abi, functionName: 'setRouter', args: [exchange.router as Address, true] }) },
  ]
}

/** The wrapped coin is worth what lies in it, so it cannot be handed out by a constructor. What is not handed out becomes liquidity. */
function wrappedCoin(): Step[] {
  const each = initialWrapped * 10n ** 18n
  const liquid = pools.reduce((total, { b, amountB }) => (b === wrapped.address ? total + amountB : total), 0n)
  const share = (to: string) => encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to as Address, each] })
  return [
    { to: wrapped.address, data: '0x', value: each * BigInt(payers.length) + liquid },
    ...payers.map(({ address }) => ({ to: wrapped.address, data: share(address) })),
  ]
}

const transaction = ({ to, data, value = 0n, gas = 300_000n }: Step, nonce: number) => ({
  from: owner.address,
  to,
  data,
  value: numberToHex(value),
  gas: numberToHex(gas),
  nonce: numberToHex(nonce),
})
