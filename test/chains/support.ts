import { createWalletClient, erc20Abi, http, type Abi, type Address, type Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { ChainId } from '../../src/wire/chain.ts'
import type { Deposit, DepositAsk } from '../../server/chains/chain.ts'
import { depositOf } from '../../server/chains/evm/deposits.ts'
import type { Call } from '../../server/chains/evm/call.ts'
import { createEvmChain, type EvmChain } from '../../server/chains/evm/create-evm-chain.ts'
import { evmPayouts } from '../../server/chains/evm/payouts/evm-payouts.ts'
import type { Rpc } from '../../server/chains/evm/rpc.ts'
import { evmX402 } from '../../server/chains/evm/x402/evm-x402.ts'
import type { EvmConfig } from '../../server/chains/evm/evm-config.ts'
import { startLocalChains, type LocalChains } from '../../local/chains.ts'
import { guard, operator, owner, payers, type LocalAccount } from '../../local/chains/accounts.ts'
import type { Anvil } from '../../local/chains/anvil.ts'
import { until } from '../support/wait.ts'
import { testGuard } from '../support/wallets/test-guard.ts'

export const signal = new AbortController().signal
export const [alice, bob] = payers as [LocalAccount, LocalAccount]
export { guard, operator, owner }
/** The terms of test orders pay these two. */
export const shop = '0x5ca1ab1e00000000000000000000000000000001'
export const collector = '0x5ca1ab1e00000000000000000000000000000002'

/** A private chain with everything that local mode deploys on it. */
export interface TestChain {
  readonly chain: EvmChain
  readonly config: EvmConfig
  readonly anvil: Anvil
  token(symbol: string): Address
  /** Returns an order's address and terms, by which `shop` is paid in every token. */
  deposit(orderId: string, more?: Partial<DepositAsk>): Required<Deposit>
  depositAddress(orderId: string): string
  mine(blocks?: number): Promise<void>
  /** Replaces the last blocks with empty ones and drops their transactions. */
  reorg(depth: number): Promise<void>
  automine(on: boolean): Promise<void>
  /** Resolves to the hash. With automine the transfer is already mined. */
  sendToken(from: LocalAccount, symbol: string, to: string, amount: bigint): Promise<Hex>
  sendNative(from: LocalAccount, to: string, amount: bigint): Promise<Hex>
  call(from: LocalAccount, call: ContractCall): Promise<Hex>
  send(from: LocalAccount, call: Pick<Call, 'to' | 'data'> & Partial<Pick<Call, 'value'>>): Promise<Hex>
  deploy(artifact: { abi: Abi; bytecode: Hex }, args?: readonly unknown[], value?: bigint): Promise<string>
  stop(): Promise<void>
}

interface ContractCall {
  readonly address: string
  readonly abi: Abi
  readonly functionName: string
  readonly args: readonly unknown[]
  readonly value?: bigint
}

/** Returns the chain as a process sees it whose payments and payouts go through another connection to the node. */
export function withRpc(chain: EvmChain, rpc: Rpc): EvmChain {
  const node = { ...chain, rpc }
  const payouts = evmPayouts(node)
  return { ...node, payouts, x402: evmX402(node, payouts) }
}

export async function startTestChain({
  chainId = 8453,
  mining = 'auto',
  ...options
}: {
  chainId?: ChainId
  mining?: 'auto' | 'manual'
  confirmations?: number
  pollMs?: number
  replaceAfterMs?: number
} = {}): Promise<TestChain> {
  const local = await startLocalChains({ chainIds: [chainId], mining, confirmations: 3, pollMs: 20, ...options })
  return testChain(local, 0, mining === 'auto')
}

/** Converts tokens to the format of the table of chains. */
export const tableTokens = ({ tokens }: EvmConfig) =>
  tokens.map(({ address, symbol, name, decimals, peg, eip3009, priceId }) => ({
    address,
    symbol,
    name,
    decimals,
    peg,
    eip3009,
    price_id: priceId,
  }))

export function testDeposit(config: EvmConfig, orderId: string, more: Partial<DepositAsk> = {}): Required<Deposit> {
  const [first, ...others] = config.tokens.map(({ chainId, address }) => ({
    chainId,
    token: address,
    recipient: shop,
    feeCollector: collector,
    maxFeeBps: 100,
    maxFeeFlat: 100n,
  }))
  if (!first) throw new Error('a chain has tokens')
  const ask = { orderId, destinations: [first, ...others] as const, guard: guard.address, releaseAt: 4_000_000_000 }
  return depositOf(config.factory.address, { ...ask, ...more })
}

export function testChain(local: LocalChains, index: number, automatic = true): TestChain {
  const anvil = local.anvils[index]!
  const config = local.configs[index]!
  const chain = createEvmChain(config, testGuard(guard))
  const walletOf = ({ private_key }: LocalAccount) =>
    createWalletClient({ account: privateKeyToAccount(private_key), transport: http(anvil.rpcUrl), pollingInterval: 10 })
  const token = (symbol: string) => config.tokens.find((each) => each.symbol === symbol)!.address as Address
  let mines = automatic
  /** anvil answers before it mines, even with automine. */
  const settled = async (sent: Promise<Hex>) => {
    const hash = await sent
    if (mines) await until(async () => (await anvil.ask(['eth_getTransactionReceipt', hash]))[0], { every: 2, what: `${hash} is mined` })
    return hash
  }
  const turns = new Map<string, Promise<unknown>>()
  /** Tests that run at once may send from one account, and each transaction takes the next nonce that the node knows of. */
  const inTurn = ({ address }: LocalAccount, sendOne: () => Promise<Hex>) => {
    const sent = (turns.get(address) ?? Promise.resolve()).then(sendOne, sendOne)
    turns.set(address, sent)
    return settled(sent)
  }
  const call: TestChain['call'] = (from, { address, abi, functionName, args, value }) =>
    inTurn(from, () =>
      walletOf(from).writeContract({ address: address as Address, abi, functionName, args, value, chain: null, gas: 3_000_000n } as never),
    )
  return {
    chain,
    config,
    anvil,
    token,
    deposit: (orderId, more) => testDeposit(config, orderId, more),
    depositAddress: (orderId) => testDeposit(config, orderId).address,
    mine: async (blocks = 1) => {
      await anvil.ask(['anvil_mine', `0x${blocks.toString(16)}`])
    },
    reorg: async (depth) => {
      await anvil.ask(['anvil_reorg', depth, []])
    },
    automine: async (on) => {
      await anvil.ask(['evm_setAutomine', on])
      mines = on
    },
    call,
    sendToken: (from, symbol, to, amount) =>
      call(from, { address: token(symbol), abi: erc20Abi, functionName: 'transfer', args: [to, amount] }),
    send: (from, { to, data, value }) =>
      inTurn(from, () => walletOf(from).sendTransaction({ to: to as Address, data: data as Hex, value, gas: 1_000_000n, chain: null })),
    sendNative: (from, to, amount) => inTurn(from, () => walletOf(from).sendTransaction({ to: to as Address, value: amount, chain: null })),
    deploy: async ({ abi, bytecode }, args = [], value = 0n) => {
      const hash = await inTurn(owner, () => walletOf(owner).deployContract({ abi, bytecode, args, value, chain: null } as never))
      const [receipt] = await anvil.ask(['eth_getTransactionReceipt', hash])
      return (receipt as { contractAddress: string }).contractAddress
    },
    stop: local.stop,
  }
}
