import { encodeFunctionData, getAddress, zeroAddress, type Address, type Hex } from 'viem'
import type { Call } from '../../server/chains/evm/call.ts'
import { multicallAddress } from '../../server/chains/evm/balances.ts'
import { conversionOf } from '../../server/chains/evm/conversion.ts'
import {
  convertCall,
  refundCall,
  releaseCall,
  releaseOtherCall,
  settleBatchCall,
  settleCall,
  type ApprovedMove,
  type Settling,
} from '../../server/chains/evm/factory-calls.ts'
import { LocalMulticall } from '../../server/chains/evm/contracts/artifacts/LocalMulticall.ts'
import { TestPuppet } from '../../server/chains/evm/contracts/artifacts/TestPuppet.ts'
import { TestRouter } from '../../server/chains/evm/contracts/artifacts/TestRouter.ts'
import type { Move } from '../../server/chains/guard.ts'
import type { OrderTerms } from '../../src/wire/terms/order-terms.ts'
import { guard, operator, owner } from '../../local/chains/accounts.ts'
import { abi, chainId, farFuture, type FactoryBench } from '../chains/factory-support.ts'
import { testGuard } from '../support/wallets/test-guard.ts'
import type { Random } from '../support/random.ts'

/** An adversary holds one key. Its holder is also any stranger, and the owner's holder makes himself an operator. */
export type Key = 'operator' | 'owner' | 'guard'

/** An order that is attacked, the honest moves that its guard has signed, and accounts that belong to it alone. */
export interface Target {
  readonly kind: (typeof kinds)[number]
  readonly terms: OrderTerms
  readonly address: string
  readonly recipient: Address
  readonly coinRecipient: Address
  readonly collector: Address
  readonly payer: Address
  readonly refund: ApprovedMove
  readonly conversion: ApprovedMove
  /** Signed by the same guard, but for another order, chain or factory. */
  readonly foreign: Hex
  readonly held: { readonly usdc: bigint; readonly usdt: bigint; readonly coin: bigint }
}

export interface Scene {
  readonly bench: FactoryBench
  readonly usdc: Address
  readonly usdt: Address
  /** Contracts of the attacker: a token, a router, and guards that do anything but approve. */
  readonly hostileToken: Address
  readonly hostileRouter: Address
  readonly hostileGuards: readonly Address[]
  /** Where the attacker would like the money to be. */
  readonly sink: Address
  /** The attacker's own account. */
  readonly thief: { readonly address: string; readonly private_key: Hex }
}

export const kinds = ['paid', 'partly paid', 'overpaid', 'wrong token', 'converting'] as const
export const caps = { bps: 100n, flat: 500n }
export const signedRefund = 300_000n
export const leastOut = 990_000n
export const converted = 1_000_000n

const amounts = {
  paid: { usdc: 1_000_000n, usdt: 0n },
  'partly paid': { usdc: 400_000n, usdt: 0n },
  overpaid: { usdc: 1_500_000n, usdt: 0n },
  'wrong token': { usdc: 0n, usdt: converted },
  converting: { usdc: 50_000n, usdt: converted },
}

export async function createTarget(scene: Scene, random: Random): Promise<Target> {
  const { bench, usdc, usdt } = scene
  const kind = random.pick(kinds)
  const [recipient, coinRecipient, collector, payer] = [bench.fresh(), bench.fresh(), bench.fresh(), bench.fresh()]
  const maxFees = { feeCollector: collector, maxFeeBps: Number(caps.bps), maxFeeFlat: caps.flat }
  const now = await bench.now()
  const { address, terms } = bench.order({
    destinations: [
      bench.destination(usdc, { recipient, ...maxFees }),
      bench.destination(null, { recipient: coinRecipient, ...maxFees }),
      bench.destination(scene.hostileToken, { recipient, ...maxFees }),
      { ...bench.destination(usdc, { recipient, ...maxFees }), chainId: 1 },
    ],
    guard: random.int(0, 4) === 0 ? random.pick(scene.hostileGuards) : guard.address,
    releaseAt: now + random.pick([500, 1_000_000]),
  })
  const held = { ...amounts[kind], coin: random.int(0, 1) === 0 ? 0n : 1_000_000n }
  for (const [token, amount] of [
    [usdc, held.usdc],
    [usdt, held.usdt],
    [null, held.coin],
  ] as const) {
    if (amount > 0n) await bench.give(address, token, amount)
  }
  // The recipient of coin, or the collector, is sometimes a contract that calls back.
  if (random.int(0, 2) === 0) await becomePuppet(scene, random.pick([coinRecipient, collector]), terms)
  const refund = bench.refund(usdc, [{ to: payer, amount: signedRefund }])
  const conversion = {
    tokenIn: usdt,
    tokenOut: usdc,
    legs: [{ to: collector, amount: 400n }],
    conversion: conversionTo(scene, address, leastOut),
    nonce: 7n,
    deadline: farFuture,
  }
  const theft = bench.refund(usdc, [{ to: scene.sink, amount: 1_000n }], refund.nonce)
  const [elsewhere, on] = random.pick<[OrderTerms, number]>([
    [{ ...terms, order_id: 'another' }, chainId],
    [terms, 1],
    [{ ...terms, factory: owner.address }, chainId],
  ])
  return {
    kind,
    terms,
    address,
    recipient,
    coinRecipient,
    collector,
    payer,
    refund: await bench.sign(terms, refund),
    conversion: await bench.sign(terms, conversion),
    foreign: (await bench.sign(elsewhere, theft, on)).signature,
    held,
  }
}

async function becomePuppet({ bench, usdc }: Scene, account: Address, terms: OrderTerms): Promise<void> {
  await bench.setup.anvil.ask(['anvil_setCode', account, TestPuppet.deployedBytecode])
  const again = settleCall({ terms, chainId, token: usdc, toRecipient: 1n, fee: caps.flat })
  await bench.send(bench.call('prepare', [bench.factory, again.data, 5n], { address: account, abi: TestPuppet.abi }))
}

interface Attack extends Pick<Call, 'to' | 'data'> {
  readonly from: string
  readonly gas: bigint
  readonly value?: bigint
}

type Tried = Pick<Call, 'to' | 'data'> & { readonly value?: bigint; readonly from?: string }

/** With the owner's key the adversary first makes himself, and a contract, operators. */
export const ownersFirst = ({ bench, thief }: Scene): Attack[] =>
  [thief.address, multicallAddress].map((account) => ({
    ...bench.call('setOperator', [account, true]),
    from: owner.address,
    gas: 200_000n,
  }))

/** Returns the next thing that this adversary tries, or how many seconds he waits. */
export async function nextAttack(key: Key, target: Target, scene: Scene, random: Random): Promise<Attack | { readonly wait: number }> {
  const senders = {
    operator: [operator.address],
    owner: [owner.address, scene.thief.address, scene.thief.address, multicallAddress],
    guard: [guard.address],
  }[key]
  const from = random.int(0, 9) === 0 ? scene.thief.address : random.pick(senders)
  const tried = await random.pick(attempts)(key, target, scene, random)
  if ('wait' in tried) return tried
  // Sometimes the caller starves the call of gas.
  const gas = random.int(0, 3) === 0 ? BigInt(random.int(150, 900)) * 1_000n : 14_000_000n
  if (from !== multicallAddress || tried.from) return { from, gas, ...tried }
  return { ...insideTransaction(target, tried, random), from: scene.thief.address, gas }
}

/** Coin reaches the address before and after the call, in the same transaction. */
function insideTransaction(target: Target, tried: Tried, random: Random): Tried {
  const pay = { target: target.address as Address, allowFailure: true, value: BigInt(random.int(0, 1_000)), callData: '0x' as const }
  const inner = { target: tried.to as Address, allowFailure: true, value: 0n, callData: tried.data as Hex }
  const calls = [pay, inner, pay]
  return {
    to: multicallAddress,
    value: 2n * pay.value,
    data: encodeFunctionData({ abi: LocalMulticall.abi, functionName: 'aggregate3Value', args: [calls] }),
  }
}

type Attempt = (key: Key, target: Target, scene: Scene, random: Random) => Tried | { wait: number } | Promise<Tried>

const anyAmount = (random: Random): bigint =>
  random.pick([0n, 1n, 99n, 9_900n, 100_000n, 396_000n, 990_000n, 1_500_000n, 2n ** 255n, BigInt(random.int(0, 1_600_000))])
const anyFee = (random: Random): bigint => random.pick([0n, 1n, 99n, 100n, 500n, 501n, 10_500n, 1_000_000n, 2n ** 255n])
const tokenOf = ({ usdc, hostileToken }: Scene, random: Random) => random.pick([usdc, usdc, usdc, null, hostileToken])
const settling = (target: Target, scene: Scene, random: Random): Settling => ({
  terms: target.terms,
  chainId,
  token: tokenOf(scene, random),
  toRecipient: anyAmount(random),
  fee: anyFee(random),
})

const attempts: readonly Attempt[] = [
  (_, target, scene, random) => settleCall(settling(target, scene, random)),
  (_, target, scene, random) => settleCall(settling(target, scene, random)),
  // Twenty of a thousand small parts.
  (_, { terms }, { usdc }, random) => {
    const part = { terms, chainId, token: usdc, toRecipient: BigInt(random.int(0, 199)), fee: BigInt(random.int(0, 30)) }
    return settleBatchCall(Array.from({ length: 20 }, () => part).map(settleCall))
  },
  poisonedBatch,
  (_, target, scene, random) => settleCall(settling({ ...target, terms: tampered(target.terms, scene, random) }, scene, random)),
  (_, { terms, refund }) => refundCall(terms, refund),
  stolenRefund,
  stolenRefund,
  (_, { terms, conversion }) => convertCall(terms, chainId, conversion),
  stolenConversion,
  stolenConversion,
  (_, { terms }, scene, random) => releaseCall({ terms, chainId, token: tokenOf(scene, random) }),
  (_, { terms }, scene, random) => releaseOtherCall(terms, random.pick([scene.usdt, scene.usdc, null])),
  (_, { terms }, scene, random) => releaseOtherCall(tampered(terms, scene, random), random.pick([scene.usdt, scene.usdc, null])),
  (_, __, scene, random) => ownersCall(scene, random),
  (_, __, scene, random) => ownersCall(scene, random),
  throughTheAddress,
  (_, target, scene) => innerCall(target, scene),
  (_, __, ___, random) => ({ wait: random.pick([1, 600, 2_000_000, 190 * 86_400]) }),
]

function poisonedBatch(_: Key, target: Target, scene: Scene, random: Random): Tried {
  const own = settleCall(settling(target, scene, random)).data as Hex
  const theft = encodeFunctionData({ abi, functionName: 'setOperator', args: [scene.sink, true] })
  const cut = own.slice(0, 2 + 2 * random.int(4, 300)) as Hex
  const items = random.shuffled([own, theft, cut, '0x' as const, stolenConversionSync(target, scene).data as Hex, own])
  return scene.bench.call('settleBatch', [items])
}

/** The terms as the adversary would like them. */
function tampered(terms: OrderTerms, { sink, thief }: Scene, random: Random): OrderTerms {
  const mine = getAddress(random.pick([sink, thief.address]))
  const all = (change: Partial<OrderTerms['settlements'][0]>) => terms.settlements.map((each) => ({ ...each, ...change }))
  return random.pick<OrderTerms>([
    { ...terms, settlements: all({ recipient: mine }) },
    { ...terms, settlements: all({ fee_collector: mine, max_fee_bps: 10_000 }) },
    { ...terms, settlements: all({ max_fee_flat: '1000000000' }) },
    { ...terms, default_recipient: mine, release_at: 1 },
    { ...terms, release_at: 1 },
    { ...terms, guard: getAddress(thief.address) },
    { ...terms, settlements: [{ ...terms.settlements[0]!, recipient: mine }, ...terms.settlements] },
    { ...terms, settlements: terms.settlements.toReversed() },
  ])
}

async function stolenRefund(key: Key, target: Target, scene: Scene, random: Random): Promise<Tried> {
  const { terms, refund } = target
  const legs = [{ to: scene.sink, amount: BigInt(random.int(1, 400_000)) }]
  const token = random.pick([scene.usdc, scene.usdt, null])
  const move = { ...refund, tokenIn: token, tokenOut: token, legs, nonce: random.pick([refund.nonce, 99n]) }
  const zero = `0x${'00'.repeat(65)}` as const
  const kept = [refund.signature, target.conversion.signature, target.foreign, target.foreign, zero, '0x' as const]
  const signature = random.int(0, 2) === 0 ? await forge(key, scene, terms, move) : random.pick(kept)
  return refundCall(terms, { ...move, signature })
}

const conversionTo = ({ bench, usdc, usdt }: Scene, recipient: string, least: bigint) =>
  conversionOf(bench.setup.config.exchange!, {
    tokenIn: usdt,
    tokenOut: usdc,
    route: { tokens: [usdt.toLowerCase(), usdc.toLowerCase()], fees: [100] },
    amountIn: converted,
    leastOut: least,
    recipient,
    deadline: farFuture,
  })

const theftOf = (target: Target, scene: Scene) => conversionTo(scene, target.kind === 'paid' ? target.address : scene.sink, 0n)

function stolenConversionSync(target: Target, scene: Scene): Tried {
  return convertCall(target.terms, chainId, { ...target.conversion, conversion: theftOf(target, scene) })
}

async function stolenConversion(key: Key, target: Target, scene: Scene, random: Random): Promise<Tried> {
  const { terms, conversion } = target
  const trade = {
    tokenIn: scene.usdt,
    amountIn: converted,
    tokenOut: scene.usdc,
    amountOut: 0n,
    to: scene.sink,
    target: scene.bench.factory,
    data: releaseCall({ terms, chainId, token: scene.usdc }).data as Hex,
  }
  const data = encodeFunctionData({ abi: TestRouter.abi, functionName: 'swap', args: [trade] })
  const move = random.pick([
    { ...conversion, conversion: theftOf(target, scene) },
    { ...conversion, conversion: { amountIn: converted, leastOut: 0n, router: scene.hostileRouter, data } },
    { ...conversion, legs: [{ to: target.collector, amount: 10_000n }] },
    { ...conversion, conversion: { ...conversion.conversion!, leastOut: 0n } },
    { ...conversion, tokenOut: null },
  ])
  const signature = random.int(0, 1) === 0 ? await forge(key, scene, terms, move) : conversion.signature
  return convertCall(terms, chainId, { ...move, signature })
}

/** Whoever has the guard's key signs with it, and everybody else with his own. */
const forge = (key: Key, { thief }: Scene, terms: OrderTerms, move: Move): Promise<Hex> =>
  testGuard(key === 'guard' ? guard : thief).sign({ chainId, terms, move, reason: { kind: 'merchant' } }, new AbortController().signal)

function ownersCall({ bench, thief, hostileRouter, sink }: Scene, random: Random): Tried {
  const { functionName, args } = random.pick([
    { functionName: 'setOperator', args: [thief.address, true] },
    { functionName: 'setOperator', args: [multicallAddress, true] },
    { functionName: 'setOperator', args: [operator.address, false] },
    { functionName: 'setRouter', args: [hostileRouter, true] },
    { functionName: 'setReceiptKey', args: [sink, true] },
    { functionName: 'offerOwnership', args: [thief.address] },
    { functionName: 'takeOwnership', args: [] },
  ])
  return bench.call(functionName, args)
}

/** Sends what the factory would send to the address's contract. */
function throughTheAddress(_: Key, { address }: Target, { usdc, sink, bench }: Scene, random: Random): Tried {
  const word = (value: string) => value.slice(2).padStart(64, '0')
  const transfer = bench.call('transfer', [sink, 1_000n], { address: usdc, abi: transferAbi }).data
  const messages = [`0x${word(usdc)}${word('0x0')}${transfer.slice(2)}`, `0x${word(sink)}${word('0x64')}`, '0x', '0x00']
  return { to: address, data: random.pick(messages) }
}

const transferAbi = [
  { type: 'function', name: 'transfer', stateMutability: 'nonpayable', inputs: [{ type: 'address' }, { type: 'uint256' }], outputs: [] },
] as const

function innerCall({ terms }: Target, { bench, usdc, usdt, sink, hostileRouter }: Scene): Tried {
  const settlement = {
    chainId: BigInt(chainId),
    token: usdc,
    recipient: sink,
    feeCollector: sink,
    maxFeeBps: 10_000,
    maxFeeFlat: 0n,
    firstOfChain: true,
  }
  const swap = { token: usdt, amount: converted, leastOut: 0n, router: hostileRouter, data: '0x' }
  const orderHash = `0x${'00'.repeat(32)}`
  return bench.call('convertAndSettle', [orderHash, terms.factory || zeroAddress, settlement, swap, 0n])
}
