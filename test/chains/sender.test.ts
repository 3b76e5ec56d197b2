import { encodeFunctionData, erc20Abi, type Address } from 'viem'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Call } from '../../server/chains/chain.ts'
import { ChainUnavailable } from '../../server/chains/ChainUnavailable.ts'
import { askNonce } from '../../server/chains/evm/asks.ts'
import { TillFactory } from '../../server/chains/evm/contracts/artifacts/TillFactory.ts'
import { createEvmChain, type EvmChain } from '../../server/chains/evm/createEvmChain.ts'
import { createSender } from '../../server/chains/evm/sender/createSender.ts'
import type { Ask, Rpc } from '../../server/chains/evm/rpc.ts'
import { run, senderContract, statesOf, type Heard } from '../contracts/sender.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { until } from '../support/wait.ts'
import { operator, owner, signal, startTestChain, type TestChain } from './support.ts'

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
      createSender({ sql: ground.database.sql, chains: [createEvmChain(ground.chain.config)], problem: () => {}, leaseRetryMs: 20 }),
    revertingCall: () => ground.call(ground.freshAddress(), 10n ** 30n),
    mine: ground.chain.mine,
    reorg: ground.chain.reorg,
  }
})

describe('EVM sender', () => {
  let ground: Ground
  let test: TestChain
  let database: TestDatabase
  const stops: (() => Promise<void>)[] = []
  let count = 0

  beforeAll(async () => {
    ground = await prepare({ replaceAfterMs: 60_000 })
    test = ground.chain
    database = ground.database
  })
  afterAll(() => ground?.stop())
  afterEach(async () => {
    await Promise.all(stops.splice(0).map((stop) => stop()))
  })

  function process(chain: EvmChain = createEvmChain(test.config)) {
    const problems: unknown[] = []
    const sender = createSender({ sql: database.sql, chains: [chain], problem: (_, error) => problems.push(error), leaseRetryMs: 20 })
    const running = run(sender, chain.id)
    stops.push(running.stop)
    return { sender, ...running, problems }
  }

  /** A chain on which some asks fail: before the node hears them, or after it has done what was asked. */
  function faulty(fails: (ask: Ask<unknown>) => 'before' | 'after' | undefined, config = test.config): EvmChain {
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

  const ask = (call: Call) => {
    const id = `evm-${count++}`
    return { ...call, id, chainId: test.config.chainId, purpose: { kind: 'settle', orderId: id, ref: '' } }
  }
  const confirmed = (heard: Heard[], id: string) =>
    until(async () => {
      if (statesOf(heard, id).includes('confirmed')) return true
      await test.mine()
      return false
    })
  const rowOf = async (id: string) => (await database.sql`select state, nonce::int, mined_hash from sends where id = ${id}`)[0]!
  const attemptsOf = (id: string) =>
    database.sql<{ tx_hash: string; nonce: number; raw: string }[]>`
      select tx_hash, nonce::int, raw from send_attempts where send_id = ${id} order by signed_at`

  it.each(['before', 'after'] as const)('sends the same bytes after a crash just %s the node heard them', async (moment) => {
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

  it('is taken over when the lock-holding connection dies', async () => {
    const [one, two] = [process(), process()]
    const holders = () => database.sql<{ pid: number }[]>`
      select pid from pg_locks where locktype = 'advisory' and granted and database = (select oid from pg_database where datname = current_database())`
    const [holder] = await atLeast(1, holders)
    await database.sql`select pg_terminate_backend(${holder!.pid})`
    const asked = ask(ground.call(ground.freshAddress(), 1n))
    await one.sender.enqueue(database.sql, asked)
    const all = one.heard
    await until(async () => {
      await test.mine()
      return statesOf([...all, ...two.heard], asked.id).includes('confirmed')
    })
    expect((await holders()).map(({ pid }) => pid)).not.toContain(holder!.pid)
  })

  it('replaces what is not mined in time, keeping the number', async () => {
    const to = ground.freshAddress()
    const impatient = createEvmChain({ ...test.config, replaceAfterMs: 100 })
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

  it('counts whichever of its hashes is mined', async () => {
    const to = ground.freshAddress()
    let broadcasts = 0
    const config = { ...test.config, replaceAfterMs: 100 }
    // The node hears the first, and none of the replacements.
    const sender = process(faulty(({ method }) => (method === 'eth_sendRawTransaction' && broadcasts++ > 0 ? 'before' : undefined), config))
    const asked = ask(ground.call(to, 8n))
    await sender.sender.enqueue(database.sql, asked)
    const [first] = await atLeast(2, () => attemptsOf(asked.id))
    await confirmed(sender.heard, asked.id)
    expect(await rowOf(asked.id)).toMatchObject({ mined_hash: first!.tx_hash })
    expect(await ground.moved(to)).toBe(8n)
  })

  it('takes another number when a stranger spent its own, proven and final', async () => {
    const to = ground.freshAddress()
    const asked = ask(ground.call(to, 4n))
    const deaf = process(faulty(({ method }) => (method === 'eth_sendRawTransaction' ? 'before' : undefined)))
    await deaf.sender.enqueue(database.sql, asked)
    const [signed] = await atLeast(1, () => attemptsOf(asked.id))
    await deaf.stop()
    await test.mine(2)
    await test.anvil.ask(['anvil_impersonateAccount', operator.address])
    await test.anvil.ask([
      'eth_sendTransaction',
      { from: operator.address, to: owner.address, value: '0x1', nonce: `0x${signed!.nonce.toString(16)}` },
    ])
    await test.anvil.ask(['anvil_stopImpersonatingAccount', operator.address])
    await test.mine()
    const [mined] = await test.chain.rpc.read(signal, askNonce(operator.address, 'latest'))
    expect(mined).toBe(signed!.nonce + 1)

    const next = process()
    await confirmed(next.heard, asked.id)
    const attempts = await attemptsOf(asked.id)
    expect(attempts.map(({ nonce }) => nonce)).toEqual([signed!.nonce, signed!.nonce + 1])
    expect(await ground.moved(to)).toBe(4n)
  })

  it('does not take another number for its own transaction that the node hides', async () => {
    const to = ground.freshAddress()
    const asked = ask(ground.call(to, 4n))
    const chain = createEvmChain(test.config)
    const hides = async (given: AbortSignal, ...asks: Ask<unknown>[]) => {
      const answers = await (chain.rpc.read as (given: AbortSignal, ...asks: Ask<unknown>[]) => Promise<unknown[]>)(given, ...asks)
      return answers.map((answer, i) => (asks[i]!.method === 'eth_getTransactionReceipt' ? null : answer))
    }
    const forgetful = process({ ...chain, rpc: { ...chain.rpc, read: hides as Rpc['read'] } })
    await forgetful.sender.enqueue(database.sql, asked)
    await until(() => statesOf(forgetful.heard, asked.id).includes('broadcast'))
    await test.mine(10)
    const looked = Date.now()
    await until(() => Date.now() - looked > 10 * test.config.pollMs)
    expect(await attemptsOf(asked.id)).toHaveLength(1)
    await forgetful.stop()
    const next = process()
    await confirmed(next.heard, asked.id)
    expect(await ground.moved(to)).toBe(4n)
  })

  it('gives the chain back what it forgot, however deep', async () => {
    const to = ground.freshAddress()
    const first = ask(ground.call(to, 1n))
    const sender = process()
    await test.mine(5)
    await sender.sender.enqueue(database.sql, first)
    await confirmed(sender.heard, first.id)
    await test.reorg(confirmations + 1)
    expect(await ground.moved(to)).toBe(0n)
    const second = ask(ground.call(to, 2n))
    await sender.sender.enqueue(database.sql, second)
    const next = process()
    await until(async () => {
      await test.mine()
      return statesOf([...sender.heard, ...next.heard], second.id).includes('confirmed')
    })
    expect(await ground.moved(to)).toBe(3n)
  })

  it('waits for an operator without coin, refusing nothing', async () => {
    const to = ground.freshAddress()
    const asked = ask(ground.call(to, 2n))
    await test.anvil.ask(['anvil_setBalance', operator.address, '0x1'])
    const sender = process()
    await sender.sender.enqueue(database.sql, asked)
    await until(() => sender.problems.some((each) => /insufficient funds/i.test(String(each))))
    expect(statesOf(sender.heard, asked.id)).toEqual([])
    await test.anvil.ask(['anvil_setBalance', operator.address, '0x56bc75e2d63100000'])
    await confirmed(sender.heard, asked.id)
    expect(await ground.moved(to)).toBe(2n)
  })

  it('reports a transaction that was mined and reverted as confirmed, not ok', async () => {
    const orderId = `reverts-${count++}`
    const asked = ask(test.chain.settlement({ orderId, token: test.token('USDT'), legs: [{ to: owner.address, amount: 1n }] }))
    const sender = process()
    await sender.sender.enqueue(database.sql, asked)
    await until(() => statesOf(sender.heard, asked.id).includes('broadcast'))
    // In the same block, and paying more to be first: the operator is dismissed.
    const dismiss = (allowed: boolean) =>
      encodeFunctionData({ abi: TillFactory.abi, functionName: 'setOperator', args: [operator.address as Address, allowed] })
    const fee = `0x${(50n * 10n ** 9n).toString(16)}`
    const factory = test.config.factory.address
    await test.anvil.ask(['anvil_impersonateAccount', owner.address])
    await test.anvil.ask([
      'eth_sendTransaction',
      { from: owner.address, to: factory, data: dismiss(false), maxFeePerGas: fee, maxPriorityFeePerGas: fee },
    ])
    await test.mine()
    await test.anvil.ask(['eth_sendTransaction', { from: owner.address, to: factory, data: dismiss(true) }])
    await confirmed(sender.heard, asked.id)
    expect(sender.heard.at(-1)?.outcome).toMatchObject({ state: 'confirmed', receipt: { ok: false } })
  })

  it('waits with a call that needs one of ours to be mined first', async () => {
    const orderId = `depends-${count++}`
    const deposit = test.chain.depositAddress(orderId)
    const sender = process()
    // The second spends what the first brings; where a node simulates without pending transactions, it reverts meanwhile.
    const chainOfCalls = [
      ask(ground.call(deposit, 5n)),
      ask(test.chain.settlement({ orderId, token: test.token('USDT'), legs: [{ to: owner.address, amount: 5n }] })),
    ]
    for (const each of chainOfCalls) await sender.sender.enqueue(database.sql, each)
    await confirmed(sender.heard, chainOfCalls[1]!.id)
    expect(statesOf(sender.heard, chainOfCalls[1]!.id)).not.toContain('refused')
    expect(await ground.moved(deposit)).toBe(0n)
  })

  it('takes a committed request to the node as soon as it is rung for', async () => {
    // By its own rhythm it would not look before the test is over.
    const sender = process(createEvmChain({ ...test.config, pollMs: 600_000 }))
    const asked = ask(ground.call(ground.freshAddress(), 1n))
    await database.sql.begin((sql) => sender.sender.enqueue(sql, asked))
    await until(() => statesOf(sender.heard, asked.id).includes('broadcast'))
  })
})
