import { encodeFunctionData, erc20Abi, keccak256, stringToBytes, type Address } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { numberToHex } from '../../server/chains/evm/rpc-calls.ts'
import { multicallAddress } from '../../server/chains/evm/balances.ts'
import { TestGuard } from '../../server/chains/evm/contracts/artifacts/TestGuard.ts'
import { TestPuppet } from '../../server/chains/evm/contracts/artifacts/TestPuppet.ts'
import { TestRouter } from '../../server/chains/evm/contracts/artifacts/TestRouter.ts'
import { guard, operator, owner } from '../../local/chains/accounts.ts'
import { startFactoryBench } from '../chains/factory-support.ts'
import { full, seed } from '../support/full.ts'
import { createRandom } from '../support/random.ts'
import {
  caps,
  converted,
  createTarget,
  leastOut,
  nextAttack,
  ownersFirst,
  signedRefund,
  type Key,
  type Scene,
  type Target,
} from './adversary.ts'

/**
 * Seeded adversaries, each with one stolen key, try random sequences of calls against an order of their own. After every step the order's money is only at
 * its address, with its terms' recipients, with its terms' collector up to the caps, and where its guard has signed. The table of docs/threat-model.md says
 * the same.
 */

const adversaries = full ? 10_000 : 300
const steps = 10
const keys: readonly Key[] = ['operator', 'owner', 'guard']

let scene: Scene
beforeAll(async () => {
  const bench = await startFactoryBench()
  const deploy = async (artifact: Parameters<typeof bench.setup.deploy>[0], args: readonly unknown[] = []) =>
    (await bench.setup.deploy(artifact, args)) as Address
  const private_key = keccak256(stringToBytes('a thief'))
  const thief = { address: privateKeyToAddress(private_key), private_key }
  scene = {
    bench,
    usdc: bench.setup.token('USDC'),
    usdt: bench.setup.token('USDT'),
    hostileToken: await deploy(TestPuppet),
    hostileRouter: await deploy(TestRouter),
    hostileGuards: [await deploy(TestGuard, [1]), await deploy(TestGuard, [2]), await deploy(TestGuard, [4]), await deploy(TestGuard, [5])],
    sink: bench.fresh(),
    thief,
  }
  const all = [operator, owner, guard, thief, { address: multicallAddress }]
  await bench.setup.anvil.ask(
    ...all.map(({ address }) => ['anvil_impersonateAccount', address] as const),
    ...all.map(({ address }) => ['anvil_setBalance', address, numberToHex(10n ** 24n)] as const),
  )
})
afterAll(() => scene?.bench.setup.stop())

interface Holdings {
  readonly usdc: bigint
  readonly usdt: bigint
  readonly coin: bigint
}

async function holdings(accounts: readonly string[]): Promise<Holdings[]> {
  const { bench, usdc, usdt } = scene
  const balanceOf = (token: string, account: string) =>
    [
      'eth_call',
      { to: token, data: encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [account as Address] }) },
      'latest',
    ] as const
  const answers = await bench.setup.anvil.ask(
    ...accounts.flatMap((account) => [balanceOf(usdc, account), balanceOf(usdt, account), ['eth_getBalance', account, 'latest'] as const]),
  )
  const amount = (at: number) => BigInt(String(answers[at]))
  return accounts.map((_, i) => ({ usdc: amount(3 * i), usdt: amount(3 * i + 1), coin: amount(3 * i + 2) }))
}

async function expectSafe(target: Target, what: string): Promise<Holdings> {
  const { sink, thief, hostileRouter } = scene
  const accounts = [
    target.address,
    target.recipient,
    target.coinRecipient,
    target.collector,
    target.payer,
    sink,
    hostileRouter,
    thief.address,
  ]
  const [address, recipient, coinRecipient, collector, payer, ...attackers] = (await holdings(accounts)) as [
    Holdings,
    Holdings,
    Holdings,
    Holdings,
    Holdings,
    ...Holdings[],
  ]
  for (const { usdc, usdt } of attackers) expect([usdc, usdt], what).toEqual([0n, 0n])
  expect([attackers[0]!.coin, attackers[1]!.coin], what).toEqual([0n, 0n])
  // A conversion takes exactly what was signed and yields at least what was signed.
  const isConverted = address.usdt !== target.held.usdt
  expect(address.usdt, what).toBe(isConverted ? target.held.usdt - converted : target.held.usdt)
  const usdc = address.usdc + recipient.usdc + collector.usdc + payer.usdc
  if (isConverted) expect(usdc, what).toBeGreaterThanOrEqual(target.held.usdc + leastOut)
  else expect(usdc, what).toBe(target.held.usdc)
  expect(payer.usdc === 0n || payer.usdc === signedRefund, what).toBe(true)
  expect(collector.usdc, what).toBeLessThanOrEqual(caps.flat + ((recipient.usdc + collector.usdc) * caps.bps) / 10_000n)
  const coin = address.coin + coinRecipient.coin + collector.coin
  expect(coin, what).toBeGreaterThanOrEqual(target.held.coin)
  expect(collector.coin, what).toBeLessThanOrEqual(caps.flat + ((coinRecipient.coin + collector.coin) * caps.bps) / 10_000n)
  return { usdc: recipient.usdc + collector.usdc + payer.usdc, usdt: isConverted ? 1n : 0n, coin: coinRecipient.coin }
}

/** Resolves to whether the adversary moved anything. */
async function attack(which: number): Promise<{ key: Key; moved: boolean }> {
  const random = createRandom(seed + which)
  const key = keys[which % keys.length]!
  const { anvil, automine } = scene.bench.setup
  const { ask } = anvil
  await automine(true)
  const target = await createTarget(scene, random)
  await automine(false)
  let moved = false
  const first = key === 'owner' ? ownersFirst(scene) : []
  for (let step = 0; step < steps; step++) {
    const next = first[step] ?? (await nextAttack(key, target, scene, random))
    const what = `adversary ${which} (TILL_SEED=${seed}) with the ${key}’s key, step ${step}, order ${target.kind}`
    if ('wait' in next) {
      await ask(['evm_increaseTime', next.wait], ['evm_mine'])
      continue
    }
    const { from, to, data, gas, value = 0n } = next
    // The node itself refuses or drops calls with too little gas for their data. A transaction that reverts changes nothing.
    const sending = ask(['eth_sendTransaction', { from, to, data, gas: numberToHex(gas), value: numberToHex(value) }])
    const [hash] = await sending.catch(() => [undefined])
    if (hash === undefined) continue
    await ask(['evm_mine'])
    const [receipt] = await ask(['eth_getTransactionReceipt', hash])
    if ((receipt as { status: string } | null)?.status !== '0x1') continue
    const got = await expectSafe(target, what)
    moved ||= got.usdc + got.usdt + got.coin > 0n
  }
  return { key, moved }
}

test(
  `behavior: ${adversaries} adversaries with one key each move money only where terms and guard say`,
  { timeout: full ? 7_200_000 : 600_000 },
  async () => {
    const movedBy = new Map<Key, number>(keys.map((key) => [key, 0]))
    const { ask } = scene.bench.setup.anvil
    for (let which = 0; which < adversaries; which++) {
      const [snapshot] = await ask(['evm_snapshot'])
      const { key, moved } = await attack(which)
      if (moved) movedBy.set(key, movedBy.get(key)! + 1)
      await ask(['evm_revert', snapshot])
    }
    // The attacks are real: with the operator's or the owner's key money moves, to where it belongs.
    expect(movedBy.get('operator')).toBeGreaterThan(adversaries / 6)
    expect(movedBy.get('owner')).toBeGreaterThan(adversaries / 10)
  },
)
