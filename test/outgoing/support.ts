import { encodeFunctionData, erc20Abi, keccak256, type Address, type Hex } from 'viem'
import type { Call } from '../../server/chains/evm/call.ts'
import { TestDollar } from '../../server/chains/evm/contracts/artifacts/TestDollar.ts'
import { createEvmChain } from '../../server/chains/evm/create-evm-chain.ts'
import type { NodeReceipt } from '../../server/chains/evm/rpc-calls.ts'
import type { RpcCall, Rpc } from '../../server/chains/evm/rpc.ts'
import type { Lie, PayoutsUnderTest } from '../contracts/payouts.ts'
import { alice, collector, guard, operator, owner, shop, signal, startTestChain, withRpc } from '../chains/support.ts'
import { createDatabase } from '../support/service/database.ts'
import { testGuard } from '../support/wallets/test-guard.ts'

export const confirmations = 3

/** Prepares a chain whose operator holds tokens, so that plain transfers can be sent. */
export async function prepare(options: { replaceAfterMs?: number } = {}) {
  const [chain, database] = await Promise.all([startTestChain({ mining: 'manual', confirmations, ...options }), createDatabase()])
  await chain.automine(true)
  await chain.sendToken(owner, 'USDT', operator.address, 1_000_000n)
  await chain.automine(false)
  let addresses = 0
  const balance = async (to: string, symbol: string) =>
    (await chain.chain.balances([to], chain.token(symbol), (await chain.chain.head(signal)).number, signal))[0]!
  return {
    chain,
    database,
    call: (to: string, amount: bigint): Call => ({
      to: chain.token('USDT'),
      data: encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to as Address, amount] }),
      value: 0n,
    }),
    balance,
    moved: (to: string) => balance(to, 'USDT'),
    freshAddress: () => chain.depositAddress(`sent-to-${addresses++}`),
    stop: async () => {
      await Promise.all([chain.stop(), database.drop()])
    },
  }
}

export type Ground = Awaited<ReturnType<typeof prepare>>

/** A node whose requests are steps that may fail, and which may lie about our transactions. */
function faultyRpc(rpc: Rpc, step: () => Promise<void> | void, lie: Lie | undefined): Rpc {
  const invented = (txHash: unknown): NodeReceipt => ({
    transactionHash: txHash as Hex,
    blockNumber: 1,
    blockHash: `0x${'de'.repeat(32)}`,
    status: 1n,
    gasUsed: 1n,
    logs: [],
  })
  const receiptBy = { denies: () => null, 'invents a block for': invented, drops: undefined }
  const wrap =
    (ask: (given: AbortSignal, ...asks: RpcCall<unknown>[]) => Promise<unknown[]>) =>
    async (given: AbortSignal, ...asks: RpcCall<unknown>[]) => {
      await step()
      const isDropped = lie === 'drops' && asks.some(({ method }) => method === 'eth_sendRawTransaction')
      const answers = isDropped ? [{ value: keccak256(asks[0]!.params[0] as Hex) }] : await ask(given, ...asks)
      await step()
      const receiptOf = lie && receiptBy[lie]
      const isLie = ({ method }: RpcCall<unknown>) => receiptOf && method === 'eth_getTransactionReceipt'
      return answers.map((answer, i) => (isLie(asks[i]!) ? receiptOf?.(asks[i]!.params[0]) : answer))
    }
  return { ...rpc, attempt: wrap(rpc.attempt as never), read: wrap(rpc.read as never) } as Rpc
}

/** What the suites of payouts test. */
export async function evmPayoutsUnderTest(): Promise<PayoutsUnderTest> {
  const setup = await prepare()
  const { chain } = setup
  return {
    confirmations,
    sql: setup.database.sql,
    token: chain.token('USDC'),
    create: ({ step = () => undefined, isImpatient = false, lie } = {}) => {
      const evm = createEvmChain({ ...chain.config, ...(isImpatient && { replaceAfterMs: 100 }) }, testGuard(guard, step))
      const { payouts } = withRpc(evm, faultyRpc(evm.rpc, step, lie))
      return {
        ...payouts,
        // The suite pays anybody, which the terms do not allow, so a guard signs for it.
        enqueue: (sql, payout) => {
          const { terms } = chain.deposit(payout.orderId)
          const isSettlement = payout.legs[0]?.to === shop
          return payouts.enqueue(sql, {
            ...payout,
            terms,
            ...(!isSettlement && { reason: { kind: payout.swap ? 'conversion' : 'surplus' } }),
          })
        },
      }
    },
    fund: async (orderId, amount) => {
      await chain.sendToken(alice, 'USDC', chain.depositAddress(orderId), amount)
      await chain.mine()
    },
    balance: (address) => setup.balance(address, 'USDC'),
    freshAddress: setup.freshAddress,
    refusedAddress: async () => {
      const address = setup.freshAddress()
      await chain.call(owner, { address: chain.token('USDC'), abi: TestDollar.abi, functionName: 'blacklist', args: [address] })
      await chain.mine()
      return address
    },
    recipient: shop,
    feeCollector: collector,
    impossible: {
      legs: [{ to: owner.address, amount: 1n }],
      swap: { tokenIn: chain.token('USDT'), amountIn: 1n, minOut: 1n, slippageBps: 100 },
    },
    mine: chain.mine,
    reorg: chain.reorg,
    stop: setup.stop,
  }
}
