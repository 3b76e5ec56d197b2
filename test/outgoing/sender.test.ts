import { encodeFunctionData, erc20Abi, parseTransaction, type Address, type TransactionSerializedEIP1559 } from 'viem'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Call } from '../../server/chains/chain.ts'
import { ChainUnavailable } from '../../server/chains/chain-unavailable.ts'
import { askBalance, askNonce } from '../../server/chains/evm/asks.ts'
import { TestBurner } from '../../server/chains/evm/contracts/artifacts/TestBurner.ts'
import { TillFactory } from '../../server/chains/evm/contracts/artifacts/TillFactory.ts'
import { createEvmChain, type EvmChain } from '../../server/chains/evm/create-evm-chain.ts'
import { createSender } from '../../server/outgoing/evm/create-sender.ts'
import { type Ask, type Rpc, RpcError } from '../../server/chains/evm/rpc.ts'
import { run, senderContract, statesOf, type Heard } from '../contracts/sender.ts'
import { createDatabase, type TestDatabase } from '../support/service/database.ts'
import { until } from '../support/wait.ts'
import { operator, owner, signal, startTestChain, type TestChain } from '../chains/support.ts'

const confirmations = 3

/** A chain whose operator holds tokens, so that a plain transfer is something to send. */
async function prepare(options: { replaceAfterMs?: number } = {}) {
  const [chain, database] = await Promise.all([startTestChain({ mining: 'manual', confirmations, ...options }), createDatabase()])
  await chain.automine(true)
  await chain.sendToken(owner, 'USDT', operator.address, 1_000_000n)
  await chain.automine(false)
  let addresses = 0
  return {
    chain,
    database,
    call: (to: string, amount: bigint): Call => ({
      to: chain.token('USDT'),
      data: encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to as Address, amount] }),
      value: 0n,
    }),
    moved: async (to: string) =>
      (await chain.chain.balances([to], chain.token('USDT'), (await chain.chain.head(signal)).number, signal))[0]!,
    freshAddress: () => chain.chain.depositAddress(`sent-to-${addresses++}`),
    stop: async () => {
      await Promise.all([chain.stop(), database.drop()])
    },
  }
}

const atLeast = <T>(count: number, read: () => PromiseLike<readonly T[]>) =>
  until(async () => {
    const rows = await read()
    return rows.length >= count ? [...rows] : undefined
  })

type Ground = Awaited<ReturnType<typeof prepare>>

senderContract('EVM on anvil and PostgreSQL', async () => {
  const ground = await prepare()
  return {
    ...ground,
    chainId: ground.chain.config.chainId,
    confirmations,
    sql: ground.database.sql,
    create: () =>
      createSender({ sql: ground.database.sql, chains: [createEvmChain(ground.chain.config)], onProblem: () => {}, leaseRetryMs: 20 }),
    revertingCall: () => ground.call(ground.freshAddress(), 10n ** 30n),
    mine: ground.chain.mine,
    reorg: ground.chain.reorg,
  }
})

describe('EVM sender', () => {
  let ground: Ground
  let testChain: TestChain
  let database: TestDatabase
  const stops: (() => Promise<void>)[] = []
  let count = 0

  beforeAll(async () => {
    ground = await prepare({ replaceAfterMs: 60_000 })
    testChain = ground.chain
    database = ground.database
  })
  afterAll(() => ground?.stop())
  afterEach(async () => {
    await Promise.all(stops.splice(0).map((stop) => stop()))
  })

  function process(chain: EvmChain = createEvmChain(testChain.config)) {
    const problems: unknown[] = []
    const sender = createSender({ sql: database.sql, chains: [chain], onProblem: (_, error) => problems.push(error), leaseRetryMs: 20 })
    const running = run(sender, chain.id)
    stops.push(running.stop)
    return { sender, ...running, problems }
  }

  /** A chain on which some asks fail: before the node hears them, or after it has done what was asked. */
  function faulty(fails: (ask: Ask<unknown>) => 'before' | 'after' | undefined, config = testChain.config): EvmChain {
    const chain = createEvmChain(config)
    const lost = () => new ChainUnavailable(chain.id, 'chain_unavailable', 'the connection was lost.')
    const wrap =
      (ask: Rpc['attempt'] | Rpc['read']) =>
      async (given: AbortSignal, ...asks: Ask<unknown>[]) => {
        const faults = asks.map(fails)
        if (faults.includes('before')) throw lost()
        const answer = await (ask as (given: AbortSignal, ...asks: Ask<unknown>[]) => Promise<unknown>)(given, ...asks)
        if (faults.includes('after')) throw lost()
        return answer
      }
    const rpc = { ...chain.rpc, attempt: wrap(chain.rpc.attempt), read: wrap(chain.rpc.read) } as Rpc
    return { ...chain, rpc }
  }

  /** A chain whose node has an error of its own for some asks. */
  function refusing(reasonFor: (ask: Ask<unknown>) => string | undefined, config = testChain.config): EvmChain {
    const chain = createEvmChain(config)
    const attempt = async (given: AbortSignal, ...asks: Ask<unknown>[]) =>
      Promise.all(
        asks.map(async (each) => {
          const reason = reasonFor(each)
          return reason === undefined
            ? (await chain.rpc.attempt(given, each))[0]
            : { error: new RpcError(each.method, -32000, reason, undefined) }
        }),
      )
    return { ...chain, rpc: { ...chain.rpc, attempt: attempt as Rpc['attempt'] } }
  }
  const isBroadcastOf = ({ method, params }: Ask<unknown>, call: Call) =>
    method === 'eth_sendRawTransaction' && parseTransaction(params[0] as TransactionSerializedEIP1559).data === call.data

  const ask = (call: Call, more: { gasCap?: bigint } = {}) => {
    const id = `evm-${count++}`
    return { ...call, ...more, id, chainId: testChain.config.chainId, purpose: { kind: 'settle', orderId: id, ref: '' } }
  }
  const confirmed = (heard: Heard[], id: string) =>
    until(async () => {
      if (statesOf(heard, id).includes('confirmed')) return true
      await testChain.mine()
      return false
    })
  const rowOf = async (id: string) => (await database.sql`select state, nonce::int, mined_hash from sends where id = ${id}`)[0]!
  const attemptsOf = (id: string) =>
    database.sql<{ tx_hash: string; nonce: number; raw: string }[]>`
      select tx_hash, nonce::int, raw from send_attempts where send_id = ${id} order by signed_at`

  test.each(['before', 'after'] as const)('behavior: sends the same bytes after a crash just %s the node received them', async (moment) => {
    const to = ground.freshAddress()
    const asked = ask(ground.call(to, 5n))
    const crashing = process(faulty(({ method }) => (method === 'eth_sendRawTransaction' ? moment : undefined)))
    await crashing.sender.enqueue(database.sql, asked)
    await until(() => crashing.problems.length > 0)
    expect(await rowOf(asked.id)).toMatchObject({ state: 'signed' })
    await crashing.stop()
    const [written] = await attemptsOf(asked.id)

    const next = process()
    await confirmed(next.heard, asked.id)
    expect(await attemptsOf(asked.id)).toEqual([written])
    expect(await rowOf(asked.id)).toMatchObject({ state: 'confirmed', mined_hash: written!.tx_hash })
    expect(statesOf(next.heard, asked.id)).toEqual(['broadcast', 'mined', 'confirmed'])
    expect(await ground.moved(to)).toBe(5n)
  })

  test('behavior: is taken over when the lock-holding connection dies', async () => {
    const [first, second] = [process(), process()]
    const holders = () => database.sql<{ pid: number }[]>`
      select pid from pg_locks where locktype = 'advisory' and granted and database = (select oid from pg_database where datname = current_database())`
    const [holder] = await atLeast(1, holders)
    await database.sql`select pg_terminate_backend(${holder!.pid})`
    const asked = ask(ground.call(ground.freshAddress(), 1n))
    await first.sender.enqueue(database.sql, asked)
    const all = first.heard
    await until(async () => {
      await testChain.mine()
      return statesOf([...all, ...second.heard], asked.id).includes('confirmed')
    })
    expect((await holders()).map(({ pid }) => pid)).not.toContain(holder!.pid)
  })

  test('behavior: replaces a transaction that is not mined in time, keeping the nonce', async () => {
    const to = ground.freshAddress()
    const impatient = createEvmChain({ ...testChain.config, replaceAfterMs: 100 })
    const sender = process(impatient)
    const asked = ask(ground.call(to, 6n))
    await sender.sender.enqueue(database.sql, asked)
    const attempts = await atLeast(3, () => attemptsOf(asked.id))
    expect(new Set(attempts.map(({ nonce }) => nonce)).size).toBe(1)
    expect(new Set(attempts.map(({ tx_hash }) => tx_hash)).size).toBe(attempts.length)
    await confirmed(sender.heard, asked.id)
    expect(await ground.moved(to)).toBe(6n)
    const announced = sender.heard.filter(({ outcome }) => outcome.state === 'broadcast')
    expect(announced.length).toBeGreaterThanOrEqual(3)
  })

  test('behavior: counts whichever of its hashes is mined', async () => {
    const to = ground.freshAddress()
    let broadcasts = 0
    const config = { ...testChain.config, replaceAfterMs: 100 }
    // The node hears the first, and none of the replacements.
    const sender = process(faulty(({ method }) => (method === 'eth_sendRawTransaction' && broadcasts++ > 0 ? 'before' : undefined), config))
    const asked = ask(ground.call(to, 8n))
    await sender.sender.enqueue(database.sql, asked)
    const [first] = await atLeast(2, () => attemptsOf(asked.id))
    await confirmed(sender.heard, asked.id)
    expect(await rowOf(asked.id)).toMatchObject({ mined_hash: first!.tx_hash })
    expect(await ground.moved(to)).toBe(8n)
  })

  test('behavior: takes another nonce when a foreign transaction spent its own, proven and final', async () => {
    const to = ground.freshAddress()
    const asked = ask(ground.call(to, 4n))
    const deaf = process(faulty(({ method }) => (method === 'eth_sendRawTransaction' ? 'before' : undefined)))
    await deaf.sender.enqueue(database.sql, asked)
    const [signed] = await atLeast(1, () => attemptsOf(asked.id))
    await deaf.stop()
    await testChain.mine(2)
    await testChain.anvil.ask(['anvil_impersonateAccount', operator.address])
    await testChain.anvil.ask([
      'eth_sendTransaction',
      { from: operator.address, to: owner.address, value: '0x1', nonce: `0x${signed!.nonce.toString(16)}` },
    ])
    await testChain.anvil.ask(['anvil_stopImpersonatingAccount', operator.address])
    await testChain.mine()
    const [mined] = await testChain.chain.rpc.read(signal, askNonce(operator.address, 'latest'))
    expect(mined).toBe(signed!.nonce + 1)

    const next = process()
    await confirmed(next.heard, asked.id)
    const attempts = await attemptsOf(asked.id)
    expect(attempts.map(({ nonce }) => nonce)).toEqual([signed!.nonce, signed!.nonce + 1])
    expect(await ground.moved(to)).toBe(4n)
  })

  test('behavior: does not take another nonce for its own transaction that the node hides', async () => {
    const to = ground.freshAddress()
    const asked = ask(ground.call(to, 4n))
    const chain = createEvmChain(testChain.config)
    const hides = async (given: AbortSignal, ...asks: Ask<unknown>[]) => {
      const answers = await (chain.rpc.read as (given: AbortSignal, ...asks: Ask<unknown>[]) => Promise<unknown[]>)(given, ...asks)
      return answers.map((answer, i) => (asks[i]!.method === 'eth_getTransactionReceipt' ? null : answer))
    }
    const forgetful = process({ ...chain, rpc: { ...chain.rpc, read: hides as Rpc['read'] } })
    await forgetful.sender.enqueue(database.sql, asked)
    await until(() => statesOf(forgetful.heard, asked.id).includes('broadcast'))
    await testChain.mine(10)
    const looked = Date.now()
    await until(() => Date.now() - looked > 10 * testChain.config.pollMs)
    expect(await attemptsOf(asked.id)).toHaveLength(1)
    await forgetful.stop()
    const next = process()
    await confirmed(next.heard, asked.id)
    expect(await ground.moved(to)).toBe(4n)
  })

  test('behavior: rebroadcasts what the chain dropped, however deep', async () => {
    const to = ground.freshAddress()
    const first = ask(ground.call(to, 1n))
    const sender = process()
    await testChain.mine(5)
    await sender.sender.enqueue(database.sql, first)
    await confirmed(sender.heard, first.id)
    await testChain.reorg(confirmations + 1)
    expect(await ground.moved(to)).toBe(0n)
    const second = ask(ground.call(to, 2n))
    await sender.sender.enqueue(database.sql, second)
    const next = process()
    await until(async () => {
      await testChain.mine()
      return statesOf([...sender.heard, ...next.heard], second.id).includes('confirmed')
    })
    expect(await ground.moved(to)).toBe(3n)
  })

  test('error: waits while the operator has no coin, and refuses nothing', async () => {
    const to = ground.freshAddress()
    const asked = ask(ground.call(to, 2n))
    await testChain.anvil.ask(['anvil_setBalance', operator.address, '0x1'])
    const sender = process()
    await sender.sender.enqueue(database.sql, asked)
    await until(() => sender.problems.some((each) => /insufficient funds/i.test(String(each))))
    expect(statesOf(sender.heard, asked.id)).toEqual([])
    await testChain.anvil.ask(['anvil_setBalance', operator.address, '0x56bc75e2d63100000'])
    await confirmed(sender.heard, asked.id)
    expect(await ground.moved(to)).toBe(2n)
  })

  test('behavior: reports a transaction that was mined and reverted as confirmed, not ok', async () => {
    const orderId = `reverts-${count++}`
    const asked = ask(testChain.chain.settlement({ orderId, token: testChain.token('USDT'), legs: [{ to: owner.address, amount: 1n }] }))
    const sender = process()
    await sender.sender.enqueue(database.sql, asked)
    await until(() => statesOf(sender.heard, asked.id).includes('broadcast'))
    // In the same block, and paying more to be first: the operator is dismissed.
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
    await confirmed(sender.heard, asked.id)
    expect(sender.heard.at(-1)?.outcome).toMatchObject({ state: 'confirmed', receipt: { ok: false } })
  })

  test('behavior: waits with a call whose simulation reverts until an earlier transaction is mined', async () => {
    const orderId = `depends-${count++}`
    const deposit = testChain.chain.depositAddress(orderId)
    const sender = process()
    // The second spends what the first brings; where a node simulates without pending transactions, it reverts meanwhile.
    const chainOfCalls = [
      ask(ground.call(deposit, 5n)),
      ask(testChain.chain.settlement({ orderId, token: testChain.token('USDT'), legs: [{ to: owner.address, amount: 5n }] })),
    ]
    for (const each of chainOfCalls) await sender.sender.enqueue(database.sql, each)
    await confirmed(sender.heard, chainOfCalls[1]!.id)
    expect(statesOf(sender.heard, chainOfCalls[1]!.id)).not.toContain('refused')
    expect(await ground.moved(deposit)).toBe(0n)
  })

  describe('a transaction that a node refuses', () => {
    const settled = async (heard: Heard[], id: string, state: 'confirmed' | 'refused') =>
      until(async () => {
        if (statesOf(heard, id).includes(state)) return true
        await testChain.mine()
        return false
      })
    const emptyOf = (id: string) =>
      database.sql<{ nonce: number; is_final: boolean }[]>`
        select nonce::int, is_final from send_attempts where send_id = ${id} and is_empty and is_final order by nonce`

    test('error: blocks nobody: later ones go out, an empty transaction takes its nonce, and it is refused in the end', async () => {
      const [badTo, goodTo] = [ground.freshAddress(), ground.freshAddress()]
      const bad = ask(ground.call(badTo, 5n))
      const good = ask(ground.call(goodTo, 3n))
      const sender = process(refusing((each) => (isBroadcastOf(each, bad) ? 'intrinsic gas too high' : undefined)))
      await database.sql.begin(async (sql) => {
        await sender.sender.enqueue(sql, bad)
        await sender.sender.enqueue(sql, good)
      })
      // Behind it in the order of nonces, and with the node at once.
      await until(() => statesOf(sender.heard, good.id).includes('broadcast'))
      expect((await attemptsOf(good.id))[0]!.nonce).toBe((await attemptsOf(bad.id))[0]!.nonce + 1)
      await settled(sender.heard, good.id, 'confirmed')
      await settled(sender.heard, bad.id, 'refused')
      expect(sender.heard.filter(({ id }) => id === bad.id)).toEqual([
        { id: bad.id, outcome: { state: 'refused', cause: 'bytes', reason: expect.stringContaining('intrinsic gas too high') } },
      ])
      expect(await emptyOf(bad.id)).toHaveLength(2)
      expect([await ground.moved(badTo), await ground.moved(goodTo)]).toEqual([0n, 3n])
    })

    test('behavior: is sent once more with other bytes, but only when the empty transaction is final', async () => {
      const to = ground.freshAddress()
      const asked = ask(ground.call(to, 5n))
      let first: unknown
      const sender = process(
        refusing((each) => {
          if (!isBroadcastOf(each, asked)) return undefined
          first ??= each.params[0]
          return each.params[0] === first ? 'oversized data' : undefined
        }),
      )
      await sender.sender.enqueue(database.sql, asked)
      await until(async () => (await database.sql`select 1 from send_attempts where send_id = ${asked.id} and is_empty`).length > 0)
      await testChain.mine(confirmations - 1)
      const looks = Date.now()
      await until(() => Date.now() - looks > 10 * testChain.config.pollMs)
      expect(new Set((await attemptsOf(asked.id)).map(({ nonce }) => nonce)).size).toBe(1)
      await settled(sender.heard, asked.id, 'confirmed')
      expect(await ground.moved(to)).toBe(5n)
      expect(statesOf(sender.heard, asked.id)).toEqual(['broadcast', 'mined', 'confirmed'])
    })

    test('error: counts when another node has mined it all the same, and is never sent twice', async () => {
      const to = ground.freshAddress()
      const asked = ask(ground.call(to, 5n))
      const sender = process(refusing((each) => (each.method === 'eth_sendRawTransaction' ? 'oversized data' : undefined)))
      await sender.sender.enqueue(database.sql, asked)
      await until(async () => (await database.sql`select 1 from send_attempts where send_id = ${asked.id} and is_empty`).length > 0)
      const [own] = await attemptsOf(asked.id)
      await testChain.anvil.ask(['eth_sendRawTransaction', own!.raw])
      await settled(sender.heard, asked.id, 'confirmed')
      expect(await rowOf(asked.id)).toMatchObject({ state: 'confirmed', mined_hash: own!.tx_hash })
      expect(await ground.moved(to)).toBe(5n)
    })

    test('error: for lack of coin is never refused for good: its nonce is freed, and it goes out when there is coin', async () => {
      const to = ground.freshAddress()
      const asked = ask(ground.call(to, 5n))
      let isPoor = true
      const sender = process(
        refusing((each) => (isPoor && isBroadcastOf(each, asked) ? 'insufficient funds for gas * price + value' : undefined)),
      )
      await sender.sender.enqueue(database.sql, asked)
      await until(
        async () => {
          await testChain.mine()
          return (await emptyOf(asked.id)).length >= 3
        },
        { timeout: 20_000 },
      )
      expect(statesOf(sender.heard, asked.id)).toEqual([])
      isPoor = false
      await settled(sender.heard, asked.id, 'confirmed')
      expect(await ground.moved(to)).toBe(5n)
    })
  })

  test('error: that the operator cannot pay for waits, and cheaper ones are sent', async () => {
    const [dear, cheap] = [ask({ to: owner.address, data: '0x', value: 10n ** 30n }), ask(ground.call(ground.freshAddress(), 1n))]
    const sender = process()
    await sender.sender.enqueue(database.sql, dear)
    await sender.sender.enqueue(database.sql, cheap)
    await confirmed(sender.heard, cheap.id)
    expect(statesOf(sender.heard, dear.id)).toEqual([])
    expect(await rowOf(dear.id)).toMatchObject({ state: 'queued', nonce: null })
    expect(sender.problems.map(String).join()).toMatch(/insufficient funds/i)
    await sender.stop()
    await database.sql`delete from sends where id = ${dear.id}`
  })

  test('behavior: is not signed unless the coin covers it together with everything in flight', async () => {
    const [balance] = await testChain.chain.rpc.read(signal, askBalance(operator.address))
    const sender = process()
    const [first, second] = [balance / 2n, balance / 2n].map((value) => ask({ to: owner.address, data: '0x', value }))
    for (const each of [first!, second!]) await sender.sender.enqueue(database.sql, each)
    await until(() => sender.problems.some((each) => /insufficient funds/i.test(String(each))))
    expect(await rowOf(second!.id)).toMatchObject({ state: 'queued', nonce: null })
    await confirmed(sender.heard, first!.id)
    await sender.stop()
    await database.sql`delete from sends where id = ${second!.id}`
    await testChain.anvil.ask(['anvil_setBalance', operator.address, `0x${balance.toString(16)}`])
  })

  test('error: is not blocked by a call that a node cannot answer', async () => {
    const [bad, good] = [ask(ground.call(ground.freshAddress(), 1n)), ask(ground.call(ground.freshAddress(), 1n))]
    const isAboutBad = ({ method, params }: Ask<unknown>) =>
      method === 'eth_estimateGas' && (params[0] as { data: string }).data === bad.data
    const sender = process(faulty((each) => (isAboutBad(each) ? 'before' : undefined)))
    await sender.sender.enqueue(database.sql, bad)
    await sender.sender.enqueue(database.sql, good)
    await confirmed(sender.heard, good.id)
    await sender.stop()
    const next = process()
    await confirmed(next.heard, bad.id)
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
      const [before, asked, after] = [ask(burn(1n)), ask(burn(amount), more), ask(burn(2n))]
      for (const each of [before, asked, after]) await sender.sender.enqueue(database.sql, each)
      await until(() => statesOf(sender.heard, asked.id).includes('refused'))
      expect(sender.heard.find(({ id }) => id === asked.id)?.outcome).toMatchObject({ cause: 'gas', reason: expect.stringMatching(/gas/) })
      expect(await rowOf(asked.id)).toMatchObject({ state: 'refused', nonce: null })
      expect(await signedGas(asked.id)).toEqual([])
      for (const { id } of [before, after]) await confirmed(sender.heard, id)
    })

    test('error: is never signed above the block gas limit, and what fits a block is mined', async () => {
      const sender = process(createEvmChain({ ...testChain.config, txGasLimit: 1n << 40n }))
      const asked = ask(burn(25_500_000n))
      await sender.sender.enqueue(database.sql, asked)
      await confirmed(sender.heard, asked.id)
      expect(await signedGas(asked.id)).toEqual([30_000_000n])
    })

    test('error: near the cap is signed with the cap, and never with more', async () => {
      const sender = process()
      const asked = ask(burn(250_000n), { gasCap: 300_000n })
      await sender.sender.enqueue(database.sql, asked)
      await confirmed(sender.heard, asked.id)
      expect(await signedGas(asked.id)).toEqual([300_000n])
    })
  })

  test('behavior: broadcasts a committed request as soon as it is woken', async () => {
    // By its own rhythm it would not look before the test is over.
    const sender = process(createEvmChain({ ...testChain.config, pollMs: 600_000 }))
    const asked = ask(ground.call(ground.freshAddress(), 1n))
    await database.sql.begin((sql) => sender.sender.enqueue(sql, asked))
    await until(() => statesOf(sender.heard, asked.id).includes('broadcast'))
  })
})
