import { encodeFunctionData, parseTransaction, type Address, type TransactionSerializedEIP1559 } from 'viem'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { ChainUnavailable } from '../../server/chains/chain.ts'
import type { Call } from '../../server/chains/evm/call.ts'
import { balanceCall, nonceCall } from '../../server/chains/evm/rpc-calls.ts'
import { TestBurner } from '../../server/chains/evm/contracts/artifacts/TestBurner.ts'
import { TillFactory } from '../../server/chains/evm/contracts/artifacts/TillFactory.ts'
import { createEvmChain, type EvmChain } from '../../server/chains/evm/create-evm-chain.ts'
import { settleCall } from '../../server/chains/evm/factory-calls.ts'
import { type RpcCall, type Rpc, RpcError } from '../../server/chains/evm/rpc.ts'
import { payoutsContract, run, statesOf, type Reported } from '../contracts/payouts.ts'
import type { TestDatabase } from '../support/service/database.ts'
import { until } from '../support/wait.ts'
import { operator, owner, signal, type TestChain, withRpc } from '../chains/support.ts'
import { confirmations, evmPayoutsUnderTest, type Ground, prepare } from './support.ts'

const atLeast = <T>(count: number, read: () => PromiseLike<readonly T[]>) =>
  until(async () => {
    const rows = await read()
    return rows.length >= count ? [...rows] : undefined
  })

payoutsContract('EVM on anvil and PostgreSQL', evmPayoutsUnderTest)

describe('EVM payouts', () => {
  let setup: Ground
  let testChain: TestChain
  let database: TestDatabase
  const stops: (() => Promise<void>)[] = []
  let count = 0

  beforeAll(async () => {
    setup = await prepare({ replaceAfterMs: 60_000 })
    testChain = setup.chain
    database = setup.database
  })
  afterAll(() => setup?.stop())
  afterEach(async () => {
    await Promise.all(stops.splice(0).map((stop) => stop()))
  })

  function process(chain: EvmChain = createEvmChain(testChain.config)) {
    const running = run(chain.payouts, { sql: database.sql })
    stops.push(running.stop)
    return { enqueue: chain.payouts.enqueueCall, ...running }
  }

  /** A chain on which some calls fail, either before the node receives them or after it has executed them. */
  function faulty(fails: (call: RpcCall<unknown>) => 'before' | 'after' | undefined, config = testChain.config): EvmChain {
    const chain = createEvmChain(config)
    const lost = () => new ChainUnavailable(chain.id, 'chain_unavailable', 'the connection was lost.')
    const wrap =
      (ask: Rpc['attempt'] | Rpc['read']) =>
      async (given: AbortSignal, ...asks: RpcCall<unknown>[]) => {
        const faults = asks.map(fails)
        if (faults.includes('before')) throw lost()
        const answer = await (ask as (given: AbortSignal, ...asks: RpcCall<unknown>[]) => Promise<unknown>)(given, ...asks)
        if (faults.includes('after')) throw lost()
        return answer
      }
    const rpc = { ...chain.rpc, attempt: wrap(chain.rpc.attempt), read: wrap(chain.rpc.read) } as Rpc
    return withRpc(chain, rpc)
  }

  /** A chain whose node refuses some calls with a reason. */
  function refusing(reasonFor: (call: RpcCall<unknown>) => string | undefined, config = testChain.config): EvmChain {
    const chain = createEvmChain(config)
    const attempt = async (given: AbortSignal, ...asks: RpcCall<unknown>[]) =>
      Promise.all(
        asks.map(async (each) => {
          const reason = reasonFor(each)
          return reason === undefined
            ? (await chain.rpc.attempt(given, each))[0]
            : { error: new RpcError(each.method, -32000, reason, undefined) }
        }),
      )
    return withRpc(chain, { ...chain.rpc, attempt: attempt as Rpc['attempt'] })
  }
  const isBroadcastOf = ({ method, params }: RpcCall<unknown>, call: Call) =>
    method === 'eth_sendRawTransaction' && parseTransaction(params[0] as TransactionSerializedEIP1559).data === call.data

  const newSend = (call: Call, more: { gasCap?: bigint } = {}) => {
    const id = `evm-${count++}`
    return { ...call, ...more, id, purpose: { kind: 'settle', orderId: id, ref: '' } }
  }
  const confirmed = (reports: Reported[], id: string) =>
    until(async () => {
      if (statesOf(reports, id).includes('confirmed')) return true
      await testChain.mine()
      return false
    })
  const rowOf = async (id: string) => (await database.sql`select state, nonce::int, mined_hash from sends where id = ${id}`)[0]!
  const attemptsOf = (id: string) =>
    database.sql<{ tx_hash: string; nonce: number; raw: string }[]>`
      select tx_hash, nonce::int, raw from send_attempts where send_id = ${id} order by signed_at`

  test.each(['before', 'after'] as const)('behavior: sends the same bytes after a crash just %s the node received them', async (moment) => {
    const to = setup.freshAddress()
    const queued = newSend(setup.call(to, 5n))
    const crashing = process(faulty(({ method }) => (method === 'eth_sendRawTransaction' ? moment : undefined)))
    await crashing.enqueue(database.sql, queued)
    await until(() => crashing.problems.length > 0)
    expect(await rowOf(queued.id)).toMatchObject({ state: 'signed' })
    await crashing.stop()
    const [written] = await attemptsOf(queued.id)

    const next = process()
    await confirmed(next.reports, queued.id)
    expect(await attemptsOf(queued.id)).toEqual([written])
    expect(await rowOf(queued.id)).toMatchObject({ state: 'confirmed', mined_hash: written!.tx_hash })
    expect(statesOf(next.reports, queued.id)).toEqual(['broadcast', 'mined', 'confirmed'])
    expect(await setup.moved(to)).toBe(5n)
  })

  test('behavior: is taken over when the lock-holding connection dies', async () => {
    const [first, second] = [process(), process()]
    const holders = () => database.sql<{ pid: number }[]>`
      select pid from pg_locks where locktype = 'advisory' and granted and database = (select oid from pg_database where datname = current_database())`
    const [holder] = await atLeast(1, holders)
    await database.sql`select pg_terminate_backend(${holder!.pid})`
    const queued = newSend(setup.call(setup.freshAddress(), 1n))
    await first.enqueue(database.sql, queued)
    const all = first.reports
    await until(async () => {
      await testChain.mine()
      return statesOf([...all, ...second.reports], queued.id).includes('confirmed')
    })
    expect((await holders()).map(({ pid }) => pid)).not.toContain(holder!.pid)
  })

  test('behavior: replaces a transaction that is not mined in time, keeping the nonce', async () => {
    const to = setup.freshAddress()
    const impatient = createEvmChain({ ...testChain.config, replaceAfterMs: 100 })
    const sender = process(impatient)
    const queued = newSend(setup.call(to, 6n))
    await sender.enqueue(database.sql, queued)
    const attempts = await atLeast(3, () => attemptsOf(queued.id))
    expect(new Set(attempts.map(({ nonce }) => nonce)).size).toBe(1)
    expect(new Set(attempts.map(({ tx_hash }) => tx_hash)).size).toBe(attempts.length)
    await confirmed(sender.reports, queued.id)
    expect(await setup.moved(to)).toBe(6n)
    const announced = sender.reports.filter(({ outcome }) => outcome.state === 'broadcast')
    expect(announced.length).toBeGreaterThanOrEqual(3)
  })

  test('behavior: counts whichever of its hashes is mined', async () => {
    const to = setup.freshAddress()
    let broadcasts = 0
    const config = { ...testChain.config, replaceAfterMs: 100 }
    // The node receives the first broadcast and none of its replacements.
    const sender = process(faulty(({ method }) => (method === 'eth_sendRawTransaction' && broadcasts++ > 0 ? 'before' : undefined), config))
    const queued = newSend(setup.call(to, 8n))
    await sender.enqueue(database.sql, queued)
    const [first] = await atLeast(2, () => attemptsOf(queued.id))
    await confirmed(sender.reports, queued.id)
    expect(await rowOf(queued.id)).toMatchObject({ mined_hash: first!.tx_hash })
    expect(await setup.moved(to)).toBe(8n)
  })

  test('behavior: takes another nonce when a foreign transaction spent its own, proven and final', async () => {
    const to = setup.freshAddress()
    const queued = newSend(setup.call(to, 4n))
    const unreachable = process(faulty(({ method }) => (method === 'eth_sendRawTransaction' ? 'before' : undefined)))
    await unreachable.enqueue(database.sql, queued)
    const [signed] = await atLeast(1, () => attemptsOf(queued.id))
    await unreachable.stop()
    await testChain.mine(2)
    await testChain.anvil.ask(['anvil_impersonateAccount', operator.address])
    await testChain.anvil.ask([
      'eth_sendTransaction',
      { from: operator.address, to: owner.address, value: '0x1', nonce: `0x${signed!.nonce.toString(16)}` },
    ])
    await testChain.anvil.ask(['anvil_stopImpersonatingAccount', operator.address])
    await testChain.mine()
    const [mined] = await testChain.chain.rpc.read(signal, nonceCall(operator.address, 'latest'))
    expect(mined).toBe(signed!.nonce + 1)

    const next = process()
    await confirmed(next.reports, queued.id)
    const attempts = await attemptsOf(queued.id)
    expect(attempts.map(({ nonce }) => nonce)).toEqual([signed!.nonce, signed!.nonce + 1])
    expect(await setup.moved(to)).toBe(4n)
  })

  test('behavior: does not take another nonce for its own transaction that the node hides', async () => {
    const to = setup.freshAddress()
    const queued = newSend(setup.call(to, 4n))
    const chain = createEvmChain(testChain.config)
    const hides = async (given: AbortSignal, ...asks: RpcCall<unknown>[]) => {
      const answers = await (chain.rpc.read as (given: AbortSignal, ...asks: RpcCall<unknown>[]) => Promise<unknown[]>)(given, ...asks)
      return answers.map((answer, i) => (asks[i]!.method === 'eth_getTransactionReceipt' ? null : answer))
    }
    const hidingNode = process(withRpc(chain, { ...chain.rpc, read: hides as Rpc['read'] }))
    await hidingNode.enqueue(database.sql, queued)
    await until(() => statesOf(hidingNode.reports, queued.id).includes('broadcast'))
    await testChain.mine(10)
    const looked = Date.now()
    await until(() => Date.now() - looked > 10 * testChain.config.pollMs)
    expect(await attemptsOf(queued.id)).toHaveLength(1)
    await hidingNode.stop()
    const next = process()
    await confirmed(next.reports, queued.id)
    expect(await setup.moved(to)).toBe(4n)
  })

  test('behavior: rebroadcasts what the chain dropped, however deep', async () => {
    const to = setup.freshAddress()
    const first = newSend(setup.call(to, 1n))
    const sender = process()
    await testChain.mine(5)
    await sender.enqueue(database.sql, first)
    await confirmed(sender.reports, first.id)
    const minedAt = (await database.sql`select mined_block::int as block from sends where id = ${first.id}`)[0]!.block as number
    const [head] = await testChain.anvil.ask(['eth_blockNumber'])
    await testChain.reorg(Number(head) - minedAt + 1)
    expect(await setup.moved(to)).toBe(0n)
    const second = newSend(setup.call(to, 2n))
    await sender.enqueue(database.sql, second)
    const next = process()
    await until(async () => {
      await testChain.mine()
      return statesOf([...sender.reports, ...next.reports], second.id).includes('confirmed')
    })
    expect(await setup.moved(to)).toBe(3n)
  })

  test('error: waits while the operator has no coin, and refuses nothing', async () => {
    const to = setup.freshAddress()
    const queued = newSend(setup.call(to, 2n))
    await testChain.anvil.ask(['anvil_setBalance', operator.address, '0x1'])
    const sender = process()
    await sender.enqueue(database.sql, queued)
    await until(() => sender.problems.some((each) => /insufficient funds/i.test(String(each))))
    expect(statesOf(sender.reports, queued.id)).toEqual([])
    await testChain.anvil.ask(['anvil_setBalance', operator.address, '0x56bc75e2d63100000'])
    await confirmed(sender.reports, queued.id)
    expect(await setup.moved(to)).toBe(2n)
  })

  test('behavior: reports a transaction that was mined and reverted as failed once it is final, with what it has cost', async () => {
    const orderId = `reverts-${count++}`
    const queued = newSend(
      settleCall({ terms: testChain.deposit(orderId).terms, chainId: 8453, token: testChain.token('USDT'), toRecipient: 1n, fee: 0n }),
    )
    const sender = process()
    await sender.enqueue(database.sql, queued)
    await until(() => statesOf(sender.reports, queued.id).includes('broadcast'))
    // The owner removes the operator in the same block, with a higher fee to be first.
    const dismiss = (allowed: boolean) =>
      encodeFunctionData({ abi: TillFactory.abi, functionName: 'setOperator', args: [operator.address as Address, allowed] })
    const fee = `0x${(50n * 10n ** 9n).toString(16)}`
    const factory = testChain.config.factory.address
    await testChain.anvil.ask(['anvil_impersonateAccount', owner.address])
    await testChain.anvil.ask([
      'eth_sendTransaction',
      { from: owner.address, to: factory, data: dismiss(false), maxFeePerGas: fee, maxPriorityFeePerGas: fee },
    ])
    await testChain.mine()
    await testChain.anvil.ask(['eth_sendTransaction', { from: owner.address, to: factory, data: dismiss(true) }])
    await until(async () => {
      if (statesOf(sender.reports, queued.id).includes('failed')) return true
      await testChain.mine()
      return false
    })
    expect(sender.reports.filter(({ id }) => id === queued.id).map(({ outcome }) => outcome)).toMatchObject([
      { state: 'broadcast' },
      { state: 'mined', ok: false },
      { state: 'failed', cause: 'reverted', spent: { fee: expect.any(BigInt), gasUsed: expect.any(BigInt) } },
    ])
  })

  test('behavior: waits with a call whose simulation reverts until an earlier transaction is mined', async () => {
    const orderId = `depends-${count++}`
    const deposit = testChain.depositAddress(orderId)
    const sender = process()
    // The second call spends what the first transfers, so a node that ignores pending transactions reverts its simulation.
    const chainOfCalls = [
      newSend(setup.call(deposit, 5n)),
      newSend(
        settleCall({ terms: testChain.deposit(orderId).terms, chainId: 8453, token: testChain.token('USDT'), toRecipient: 5n, fee: 0n }),
      ),
    ]
    for (const each of chainOfCalls) await sender.enqueue(database.sql, each)
    await confirmed(sender.reports, chainOfCalls[1]!.id)
    expect(statesOf(sender.reports, chainOfCalls[1]!.id)).not.toContain('failed')
    expect(await setup.moved(deposit)).toBe(0n)
  })

  describe('a transaction that a node refuses', () => {
    const settled = async (reports: Reported[], id: string, state: 'confirmed' | 'failed') =>
      until(async () => {
        if (statesOf(reports, id).includes(state)) return true
        await testChain.mine()
        return false
      })
    const emptyOf = (id: string) =>
      database.sql<{ nonce: number; is_final: boolean }[]>`
        select nonce::int, is_final from send_attempts where send_id = ${id} and is_empty and is_final order by nonce`

    test('error: blocks nobody: later ones go out, an empty transaction takes its nonce, and it is refused in the end', async () => {
      const [badTo, goodTo] = [setup.freshAddress(), setup.freshAddress()]
      const bad = newSend(setup.call(badTo, 5n))
      const good = newSend(setup.call(goodTo, 3n))
      const sender = process(refusing((each) => (isBroadcastOf(each, bad) ? 'intrinsic gas too high' : undefined)))
      await database.sql.begin(async (sql) => {
        await sender.enqueue(sql, bad)
        await sender.enqueue(sql, good)
      })
      // The good transaction has the next nonce and is broadcast at once.
      await until(() => statesOf(sender.reports, good.id).includes('broadcast'))
      expect((await attemptsOf(good.id))[0]!.nonce).toBe((await attemptsOf(bad.id))[0]!.nonce + 1)
      await settled(sender.reports, good.id, 'confirmed')
      await settled(sender.reports, bad.id, 'failed')
      expect(sender.reports.filter(({ id }) => id === bad.id)).toEqual([
        { id: bad.id, outcome: { state: 'failed', cause: 'bytes', reason: expect.stringContaining('intrinsic gas too high') } },
      ])
      expect(await emptyOf(bad.id)).toHaveLength(2)
      expect([await setup.moved(badTo), await setup.moved(goodTo)]).toEqual([0n, 3n])
    })

    test('behavior: is sent once more with other bytes, but only when the empty transaction is final', async () => {
      const to = setup.freshAddress()
      const queued = newSend(setup.call(to, 5n))
      let first: unknown
      const sender = process(
        refusing((each) => {
          if (!isBroadcastOf(each, queued)) return undefined
          first ??= each.params[0]
          return each.params[0] === first ? 'oversized data' : undefined
        }),
      )
      await sender.enqueue(database.sql, queued)
      await until(async () => (await database.sql`select 1 from send_attempts where send_id = ${queued.id} and is_empty`).length > 0)
      await testChain.mine(confirmations - 1)
      const looks = Date.now()
      await until(() => Date.now() - looks > 10 * testChain.config.pollMs)
      expect(new Set((await attemptsOf(queued.id)).map(({ nonce }) => nonce)).size).toBe(1)
      await settled(sender.reports, queued.id, 'confirmed')
      expect(await setup.moved(to)).toBe(5n)
      expect(statesOf(sender.reports, queued.id)).toEqual(['broadcast', 'mined', 'confirmed'])
    })

    test('error: counts when another node has mined it all the same, and is never sent twice', async () => {
      const to = setup.freshAddress()
      const queued = newSend(setup.call(to, 5n))
      const sender = process(refusing((each) => (each.method === 'eth_sendRawTransaction' ? 'oversized data' : undefined)))
      await sender.enqueue(database.sql, queued)
      await until(async () => (await database.sql`select 1 from send_attempts where send_id = ${queued.id} and is_empty`).length > 0)
      const [own] = await attemptsOf(queued.id)
      await testChain.anvil.ask(['eth_sendRawTransaction', own!.raw])
      await settled(sender.reports, queued.id, 'confirmed')
      expect(await rowOf(queued.id)).toMatchObject({ state: 'confirmed', mined_hash: own!.tx_hash })
      expect(await setup.moved(to)).toBe(5n)
    })

    test('error: for lack of coin is never refused for good: its nonce is freed, and it goes out when there is coin', async () => {
      const to = setup.freshAddress()
      const queued = newSend(setup.call(to, 5n))
      let isPoor = true
      const sender = process(
        refusing((each) => (isPoor && isBroadcastOf(each, queued) ? 'insufficient funds for gas * price + value' : undefined)),
      )
      await sender.enqueue(database.sql, queued)
      await until(
        async () => {
          await testChain.mine()
          return (await emptyOf(queued.id)).length >= 3
        },
        { timeout: 60_000 },
      )
      expect(statesOf(sender.reports, queued.id)).toEqual([])
      isPoor = false
      await settled(sender.reports, queued.id, 'confirmed')
      expect(await setup.moved(to)).toBe(5n)
    })
  })

  test('error: that the operator cannot pay for waits, and cheaper ones are sent', async () => {
    const [dear, cheap] = [newSend({ to: owner.address, data: '0x', value: 10n ** 30n }), newSend(setup.call(setup.freshAddress(), 1n))]
    const sender = process()
    await sender.enqueue(database.sql, dear)
    await sender.enqueue(database.sql, cheap)
    await confirmed(sender.reports, cheap.id)
    expect(statesOf(sender.reports, dear.id)).toEqual([])
    expect(await rowOf(dear.id)).toMatchObject({ state: 'queued', nonce: null })
    expect(sender.problems.map(String).join()).toMatch(/insufficient funds/i)
    await sender.stop()
    await database.sql`delete from sends where id = ${dear.id}`
  })

  test('behavior: is not signed unless the coin covers it together with everything in flight', async () => {
    const [balance] = await testChain.chain.rpc.read(signal, balanceCall(operator.address))
    const sender = process()
    const [first, second] = [balance / 2n, balance / 2n].map((value) => newSend({ to: owner.address, data: '0x', value }))
    for (const each of [first!, second!]) await sender.enqueue(database.sql, each)
    await until(() => sender.problems.some((each) => /insufficient funds/i.test(String(each))))
    expect(await rowOf(second!.id)).toMatchObject({ state: 'queued', nonce: null })
    await confirmed(sender.reports, first!.id)
    await sender.stop()
    await database.sql`delete from sends where id = ${second!.id}`
    await testChain.anvil.ask(['anvil_setBalance', operator.address, `0x${balance.toString(16)}`])
  })

  test('error: is not blocked by a call that a node cannot answer', async () => {
    const [bad, good] = [newSend(setup.call(setup.freshAddress(), 1n)), newSend(setup.call(setup.freshAddress(), 1n))]
    const isAboutBad = ({ method, params }: RpcCall<unknown>) =>
      method === 'eth_estimateGas' && (params[0] as { data: string }).data === bad.data
    const sender = process(faulty((each) => (isAboutBad(each) ? 'before' : undefined)))
    await sender.enqueue(database.sql, bad)
    await sender.enqueue(database.sql, good)
    await confirmed(sender.reports, good.id)
    await sender.stop()
    const next = process()
    await confirmed(next.reports, bad.id)
  })

  describe('gas', () => {
    let burner: string
    const burn = (amount: bigint): Call => ({
      to: burner,
      data: encodeFunctionData({ abi: TestBurner.abi, functionName: 'burn', args: [amount] }),
      value: 0n,
    })
    const signedGas = async (id: string) =>
      (await database.sql<{ gas: string }[]>`select gas::text from send_attempts where send_id = ${id}`).map(({ gas }) => BigInt(gas))

    beforeAll(async () => {
      await testChain.automine(true)
      burner = (await testChain.deploy(TestBurner)).toLowerCase()
      await testChain.automine(false)
    })

    test.each([
      ['its own cap', 1_000_000n, { gasCap: 300_000n }, {}],
      ["the chain's limit for a transaction", 2_000_000n, {}, { txGasLimit: 1_500_000n }],
    ] as const)('error: above %s is refused before it has a nonce', async (_, amount, more, config) => {
      const sender = process(createEvmChain({ ...testChain.config, ...config }))
      const [before, queued, after] = [newSend(burn(1n)), newSend(burn(amount), more), newSend(burn(2n))]
      for (const each of [before, queued, after]) await sender.enqueue(database.sql, each)
      await until(() => statesOf(sender.reports, queued.id).includes('failed'))
      expect(sender.reports.find(({ id }) => id === queued.id)?.outcome).toMatchObject({
        cause: 'gas',
        reason: expect.stringMatching(/gas/),
      })
      expect(await rowOf(queued.id)).toMatchObject({ state: 'refused', nonce: null })
      expect(await signedGas(queued.id)).toEqual([])
      for (const { id } of [before, after]) await confirmed(sender.reports, id)
    })

    test('error: is never signed above the block gas limit, and what fits a block is mined', async () => {
      const sender = process(createEvmChain({ ...testChain.config, txGasLimit: 1n << 40n }))
      const queued = newSend(burn(25_500_000n))
      await sender.enqueue(database.sql, queued)
      await confirmed(sender.reports, queued.id)
      expect(await signedGas(queued.id)).toEqual([30_000_000n])
    })

    test('error: near the cap is signed with the cap, and never with more', async () => {
      const sender = process()
      const queued = newSend(burn(250_000n), { gasCap: 300_000n })
      await sender.enqueue(database.sql, queued)
      await confirmed(sender.reports, queued.id)
      expect(await signedGas(queued.id)).toEqual([300_000n])
    })
  })

  test('behavior: waits while the base fee is above what the configuration allows, and goes on once it has fallen', async () => {
    const baseFee = (wei: bigint) => testChain.anvil.ask(['anvil_setNextBlockBaseFeePerGas', `0x${wei.toString(16)}`], ['evm_mine'])
    const gwei = 10n ** 9n
    await baseFee(40n * gwei)
    const sender = process(createEvmChain({ ...testChain.config, maxFeePerGas: 10n * gwei }))
    const queued = newSend(setup.call(setup.freshAddress(), 1n))
    await sender.enqueue(database.sql, queued)
    await until(async () => {
      const [row] = await database.sql<{ problem: string | null }[]>`select problem from sends where id = ${queued.id}`
      return row!.problem?.includes('the base fee is above 10000000000 wei')
    })
    expect(await rowOf(queued.id)).toMatchObject({ state: 'queued', nonce: null })
    await baseFee(gwei)
    await confirmed(sender.reports, queued.id)
    const [signed] = await database.sql<{ max_fee: string }[]>`select max_fee::text from send_attempts where send_id = ${queued.id}`
    expect(BigInt(signed!.max_fee)).toBeLessThanOrEqual(10n * gwei)
  })

  test('behavior: broadcasts a committed request as soon as it is woken', async () => {
    // The poll interval is longer than the test, so only a notification can wake it.
    const sender = process(createEvmChain({ ...testChain.config, pollMs: 600_000 }))
    const queued = newSend(setup.call(setup.freshAddress(), 1n))
    await database.sql.begin((sql) => sender.enqueue(sql, queued))
    await until(() => statesOf(sender.reports, queued.id).includes('broadcast'))
  })
})
