import {
  decodeFunctionResult,
  encodeFunctionData,
  erc20Abi,
  getAddress,
  parseEventLogs,
  type Abi,
  type Address,
  type Hex,
  type Log,
} from 'viem'
import { depositOf } from '../../server/chains/evm/deposits.ts'
import type { Call } from '../../server/chains/evm/call.ts'
import type { Deposit, DepositAsk, DepositDestination } from '../../server/chains/chain.ts'
import type { ApprovedMove } from '../../server/chains/evm/factory-calls.ts'
import { TillFactory } from '../../server/chains/evm/contracts/artifacts/TillFactory.ts'
import { gasCall, numberToHex, receiptCall, receiptOf } from '../../server/chains/evm/rpc-calls.ts'
import { isRevert, revertError } from '../../server/chains/evm/rpc.ts'
import type { Move } from '../../server/chains/guard.ts'
import type { OrderTerms } from '../../src/wire/terms/order-terms.ts'
import { guard } from '../../local/chains/accounts.ts'
import { testGuard } from '../support/wallets/test-guard.ts'
import { until } from '../support/wait.ts'
import { alice, operator, signal, startTestChain, type TestChain } from './support.ts'

export const chainId = 8453
export const farFuture = 4_000_000_000n
export const { abi } = TillFactory
/** Nobody has this address's key, and it has no code. */
export const collector = getAddress('0x00000000000000000000000000000000000000fe')

/** An event of the factory: its name and its arguments. */
export type FactoryLog = readonly [name: string, args: Readonly<Record<string, unknown>>]

export type Sent =
  | { readonly ok: true; readonly gasUsed: bigint; readonly gas: bigint; readonly events: readonly FactoryLog[] }
  | { readonly ok: false; readonly error: string }

/** The names of the events, or the name of the error. */
export const names = (sent: Sent) => (sent.ok ? sent.events.map(([name]) => name) : sent.error)

export const failed = (error: string) => ({ ok: false, error })

interface SendOptions {
  /** Without it exactly the node's estimate is given, so whatever an estimate does not cover fails. */
  readonly gas?: bigint
  readonly gasPrice?: bigint
}

/** A chain with a factory, and what its tests do with it. */
export interface FactoryBench {
  readonly setup: TestChain
  readonly factory: Address
  /** Returns a new order. Unless it says otherwise it settles in USDC and in coin here, and in USDC on another chain. */
  order(more?: Partial<DepositAsk>): Required<Deposit>
  /** Returns a new order at whose address this money lies. */
  holding(token: string | null, amount: bigint, more?: Partial<DepositAsk>): Promise<Required<Deposit>>
  destination(token: string | null, more?: Partial<DepositDestination>): DepositDestination
  send(call: Pick<Call, 'to' | 'data'>, from?: { readonly address: string }, options?: SendOptions): Promise<Sent>
  call(functionName: string, args: readonly unknown[], to?: { address: string; abi: Abi }): Pick<Call, 'to' | 'data'>
  read<T>(functionName: string, args?: readonly unknown[]): Promise<T>
  balance(address: string, token: string | null): Promise<bigint>
  /** Alice sends tokens. Coin appears from nowhere. */
  give(address: string, token: string | null, amount: bigint): Promise<void>
  fresh(): Address
  sign(terms: OrderTerms, move: Move, on?: number): Promise<ApprovedMove>
  refund(token: string | null, legs: readonly { to: string; amount: bigint }[], nonce?: bigint): Move
  now(): Promise<number>
  /** Moves the chain's clock to this time. */
  setTime(seconds: number): Promise<void>
}

export async function startFactoryBench(): Promise<FactoryBench> {
  const setup = await startTestChain()
  const factory = getAddress(setup.config.factory.address)
  const signer = testGuard(guard)
  let count = 0
  const fresh = () => getAddress(`0x${(0xabcd_0000_0000n + BigInt(++count)).toString(16).padStart(40, '5')}`)
  const destination: FactoryBench['destination'] = (token, more) => ({
    chainId,
    token,
    recipient: fresh(),
    feeCollector: collector,
    maxFeeBps: 100,
    maxFeeFlat: 500n,
    ...more,
  })
  const send: FactoryBench['send'] = async ({ to, data }, from = operator, { gas, gasPrice } = {}) => {
    let limit = gas
    if (limit === undefined) {
      const [estimate] = await setup.chain.rpc.attempt(signal, gasCall({ from: from.address, to, data, value: 0n }, 'latest'))
      if ('error' in estimate) {
        if (!isRevert(estimate.error)) throw new Error(estimate.error.reason)
        return { ok: false, error: revertError(estimate.error, abi)?.errorName ?? 'unnamed' }
      }
      limit = estimate.value
    }
    const transaction = { from: from.address, to, data, gas: numberToHex(limit), ...(gasPrice && { gasPrice: numberToHex(gasPrice) }) }
    const [, hash] = await setup.anvil.ask(['anvil_impersonateAccount', from.address], ['eth_sendTransaction', transaction])
    const read = async () => (await setup.chain.rpc.read(signal, receiptCall(String(hash))))[0]
    const receipt = receiptOf((await until(read, { every: 2, what: `${hash} is mined` }))!)
    if (!receipt.ok) return { ok: false, error: 'reverted' }
    return {
      ok: true,
      gasUsed: receipt.gasUsed,
      gas: limit,
      events: eventsOf(to, receipt.logs),
    }
  }
  const call: FactoryBench['call'] = (functionName, args, to = { address: factory, abi }) => ({
    to: to.address,
    data: encodeFunctionData({ abi: to.abi, functionName, args }),
  })
  const order: FactoryBench['order'] = (more = {}) =>
    depositOf(factory, {
      orderId: `order-${count++}`,
      destinations: [destination(setup.token('USDC')), destination(null), { ...destination(setup.token('USDC')), chainId: 1 }],
      guard: guard.address,
      releaseAt: 3_000_000_000,
      ...more,
    })
  const give: FactoryBench['give'] = async (address, token, amount) => {
    if (token === null) {
      const [held] = await setup.anvil.ask(['eth_getBalance', address, 'latest'])
      await setup.anvil.ask(['anvil_setBalance', address, numberToHex(BigInt(String(held)) + amount)], ['evm_mine'])
    } else await setup.call(alice, { address: token, abi: erc20Abi, functionName: 'transfer', args: [address, amount] })
  }
  return {
    setup,
    factory,
    order,
    give,
    holding: async (token, amount, more) => {
      const made = order(more)
      if (amount > 0n) await give(made.address, token, amount)
      return made
    },
    destination,
    fresh,
    send,
    call,
    read: async <T>(functionName: string, args: readonly unknown[] = []) => {
      const [data] = await setup.anvil.ask(['eth_call', call(functionName, args), 'latest'])
      return decodeFunctionResult({ abi: abi as Abi, functionName, data: data as Hex }) as T
    },
    balance: async (address, token) => {
      const balances = await setup.chain.balances([address.toLowerCase()], token, (await setup.chain.head(signal)).number, signal)
      return balances[0]!
    },
    sign: async (terms, move, on = chainId) => ({
      ...move,
      signature: await signer.sign({ chainId: on as never, terms, move, reason: { kind: 'merchant' } }, signal),
    }),
    refund: (token, legs, nonce = BigInt(count++)) => ({ tokenIn: token, tokenOut: token, legs, nonce, deadline: farFuture }),
    now: async () => {
      const [block] = await setup.anvil.ask(['eth_getBlockByNumber', 'latest', false])
      return Number((block as { timestamp: string }).timestamp)
    },
    setTime: async (seconds) => {
      await setup.anvil.ask(['evm_setNextBlockTimestamp', seconds], ['evm_mine'])
    },
  }
}

/** Logs of other contracts are left out, and those of a second factory are not. */
function eventsOf(to: string, logs: readonly { readonly address: string }[]): readonly FactoryLog[] {
  const own = logs.filter(({ address }) => address === to.toLowerCase())
  return parseEventLogs({ abi, logs: own as unknown as Log[] }).map(({ eventName, args }) => [eventName, args])
}
