import { encodeFunctionData, parseTransaction, toFunctionSelector, getAbiItem, type Address, type TransactionSerializedEIP1559 } from 'viem'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { ChainUnavailable } from '../../server/chains/chain.ts'
import { TestDollar } from '../../server/chains/evm/contracts/artifacts/TestDollar.ts'
import { TillFactory } from '../../server/chains/evm/contracts/artifacts/TillFactory.ts'
import { createEvmChain } from '../../server/chains/evm/create-evm-chain.ts'
import { settleCall } from '../../server/chains/evm/factory-calls.ts'
import { insertBatch } from '../../server/chains/evm/payouts/batch-queue.ts'
import { sendsDue } from '../../server/chains/evm/payouts/queue.ts'
import { takeSlot } from '../../server/chains/evm/payouts/send-states.ts'
import type { Send } from '../../server/chains/evm/payouts/send.ts'
import { type Rpc, type RpcCall, RpcError } from '../../server/chains/evm/rpc.ts'
import type { Payout, Payouts } from '../../server/chains/payouts.ts'
import { batchesContract } from '../contracts/batches.ts'
import { type Reported, run, statesOf } from '../contracts/payouts.ts'
import { alice, collector, operator, owner, shop, signal, type TestChain, withRpc } from '../chains/support.ts'
import type { TestDatabase } from '../support/service/database.ts'
import { until } from '../support/wait.ts'
import { evmPayoutsUnderTest, type Ground, prepare } from './support.ts'

batchesContract('EVM on anvil and PostgreSQL', async () => ({ ...(await evmPayoutsUnderTest()), refusedFee: 5_000n }))

describe('EVM batches', () => {
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

  /** Makes settlements of 10 each that wait together, of orders that hold more than twice as much. */
  async function settlements(amount: number, fee?: bigint): Promise<Payout[]> {
    const tenant = `tenant-${++count}`
    const made: Payout[] = []
    for (let i = 0; i < amount; i++) {
      const orderId = `evm-batched-${++count}`
      const { terms, address } = testChain.deposit(orderId)
      await testChain.sendToken(alice, 'USDC', address, 25n)
      await testChain.mine()
      const legs = [{ to: shop, amount: 10n }, ...(fee === undefined ? [] : [{ to: collector, amount: fee }])]
      const purpose = { kind: 'settlement', orderId, ref: 's1' }
      made.push({ id: `${orderId}:s1`, orderId, terms, token: testChain.token('USDC'), legs, purpose, tenant })
    }
    return made
  }
  async function waitTogether(queued: readonly Payout[]): Promise<void> {
    const { payouts } = createEvmChain(testChain.config)
    for (const payout of queued) await payouts.enqueue(database.sql, payout)
  }
  function process(payouts: Payouts = createEvmChain(testChain.config).payouts) {
    const running = run(payouts, { sql: database.sql })
    stops.push(running.stop)
    return running
  }
  /** A chain whose node answers some calls with an error. */
  function refusing(reasonFor: (call: RpcCall<unknown>) => string | undefined): Payouts {
    const chain = createEvmChain(testChain.config)
    const attempt = async (given: AbortSignal, ...asks: RpcCall<unknown>[]) =>
      Promise.all(
        asks.map(async (each) => {
          const reason = reasonFor(each)
          return reason === undefined
            ? (await chain.rpc.attempt(given, each))[0]
            : { error: new RpcError(each.method, -32000, reason, undefined) }
        }),
      )
    return withRpc(chain, { ...chain.rpc, attempt: attempt as Rpc['attempt'] }).payouts
  }
  const batchSelector = toFunctionSelector(getAbiItem({ abi: TillFactory.abi, name: 'settleBatch' }))
  const isBatchBroadcast = ({ method, params }: RpcCall<unknown>) =>
    method === 'eth_sendRawTransaction' && parseTransaction(params[0] as TransactionSerializedEIP1559).data?.startsWith(batchSelector)

  const minedUntil = (fact: () => unknown) =>
    until(async () => {
      const answer = await fact()
      if (!answer) await testChain.mine()
      return answer
    })
  const confirmedOf = (reports: readonly Reported[], queued: readonly Payout[]) =>
    queued.flatMap(({ id }) => reports.flatMap((each) => (each.id === id && each.outcome.state === 'confirmed' ? [each.outcome] : [])))
  const areConfirmed = (reports: readonly Reported[], queued: readonly Payout[]) => confirmedOf(reports, queued).length >= queued.length
  const received = () => setup.balance(shop, 'USDC')
  const coin = async () => (await createEvmChain(testChain.config).payouts.funds(database.sql, signal)).coin
  const batchOf = async ([first]: readonly Payout[]) => (await database.sql`select * from sends where id = ${`batch:${first!.id}`}`)[0]
  const stateOf = async ({ id }: Payout) => (await database.sql`select state from sends where id = ${id}`)[0]?.state as string

  /** Mines what is pending while the owner has removed the operator, in the same block and with a higher fee to be first. */
  async function mineReverted(): Promise<void> {
    const allow = (allowed: boolean) =>
      encodeFunctionData({ abi: TillFactory.abi, functionName: 'setOperator', args: [operator.address as Address, allowed] })
    const fee = `0x${(50n * 10n ** 9n).toString(16)}`
    const call = { from: owner.address, to: testChain.config.factory.address, maxFeePerGas: fee, maxPriorityFeePerGas: fee }
    await testChain.anvil.ask(['anvil_impersonateAccount', owner.address])
    await testChain.anvil.ask(['eth_sendTransaction', { ...call, data: allow(false) }])
    await testChain.mine()
    await testChain.anvil.ask(['eth_sendTransaction', { ...call, data: allow(true) }])
    await testChain.mine()
  }
  /** Removes these blocks and all that follow, and says so to the payouts as the feed does. */
  async function removeBlocks(blocks: readonly { readonly block: number; readonly hash: string }[]): Promise<string[]> {
    await database.sql`delete from chain_blocks`
    for (const { block, hash } of blocks)
      await database.sql`insert into chain_blocks (chain_id, block, hash) values (8453, ${block}, ${hash})`
    const first = Math.min(...blocks.map(({ block }) => block))
    const [head] = await testChain.anvil.ask(['eth_blockNumber'])
    await testChain.reorg(Number(head) - first + 1)
    const undone: string[] = []
    const report = async (_: unknown, { id }: { id: string }, { state }: { state: string }) => void undone.push(`${id} ${state}`)
    const log = { warn: () => {}, error: () => {} }
    const { payouts } = createEvmChain(testChain.config)
    expect(await payouts.reopen({ sql: database.sql, report, log }, signal, { height: first - 1, id: '' })).toBe(true)
    return undone
  }
  const blocksOf = (ids: readonly string[]) => database.sql<{ block: number; hash: string }[]>`
    select distinct mined_block::int as block, mined_block_hash as hash from sends where id in ${database.sql(ids)}`

  test('behavior: an order whose recipient cannot be paid leaves the others', async () => {
    const refused = testChain.depositAddress(`refused-${++count}`)
    await testChain.call(owner, { address: testChain.token('USDC'), abi: TestDollar.abi, functionName: 'blacklist', args: [refused] })
    const [first, second, third] = await settlements(3)
    const destination = {
      chainId: 8453,
      token: testChain.token('USDC'),
      recipient: refused,
      feeCollector: collector,
      maxFeeBps: 100,
      maxFeeFlat: 100n,
    }
    const { terms, address } = testChain.deposit(second!.orderId, { destinations: [destination] as never })
    await testChain.sendToken(alice, 'USDC', address, 25n)
    await testChain.mine()
    const bad = { ...second!, terms, legs: [{ to: refused, amount: 10n }] }
    const queued = [first!, bad, third!]
    await waitTogether(queued)
    const before = await received()
    const { reports } = process()
    await minedUntil(() => areConfirmed(reports, queued))
    expect(confirmedOf(reports, queued).map(({ paid }) => paid)).toEqual([[true], [false], [true]])
    expect(new Set(confirmedOf(reports, queued).map(({ txHash }) => txHash)).size).toBe(1)
    expect((await received()) - before).toBe(20n)
  })

  test('behavior: a batch that needs more gas than a transaction may have is sent one by one', async () => {
    const queued = await settlements(3)
    await waitTogether(queued)
    const before = await received()
    const { reports } = process(createEvmChain({ ...testChain.config, txGasLimit: 700_000n }).payouts)
    await minedUntil(() => areConfirmed(reports, queued))
    expect(new Set(confirmedOf(reports, queued).map(({ txHash }) => txHash)).size).toBe(3)
    expect(await batchOf(queued)).toMatchObject({ state: 'refused', nonce: null })
    expect((await received()) - before).toBe(30n)
  })

  test('behavior: a batch for which fees are too high waits as one', async () => {
    const queued = await settlements(3)
    await waitTogether(queued)
    const baseFee = (wei: bigint) => testChain.anvil.ask(['anvil_setNextBlockBaseFeePerGas', `0x${wei.toString(16)}`], ['evm_mine'])
    const gwei = 10n ** 9n
    await baseFee(40n * gwei)
    const { reports } = process(createEvmChain({ ...testChain.config, maxFeePerGas: 10n * gwei }).payouts)
    await until(async () => String((await batchOf(queued))?.problem).includes('max_fee_gwei'))
    await baseFee(gwei)
    await minedUntil(() => areConfirmed(reports, queued))
    expect(new Set(confirmedOf(reports, queued).map(({ txHash }) => txHash)).size).toBe(1)
  })

  test('behavior: a batch that was mined and reverted is sent one by one once that is final, and its costs are shared', async () => {
    const queued = await settlements(3)
    await waitTogether(queued)
    const [before, coinBefore] = [await received(), await coin()]
    const { reports } = process()
    await until(() => queued.every(({ id }) => statesOf(reports, id).includes('broadcast')))
    await mineReverted()
    await minedUntil(() => areConfirmed(reports, queued))
    for (const { id } of queued) expect(statesOf(reports, id)).toEqual(['broadcast', 'broadcast', 'mined', 'confirmed'])
    expect(await batchOf(queued)).toMatchObject({ state: 'refused' })
    const spent = confirmedOf(reports, queued).reduce((sum, outcome) => sum + outcome.fee, 0n)
    expect(spent).toBe(coinBefore - (await coin()))
    expect((await received()) - before).toBe(30n)
  })

  test('behavior: a batch that no node takes is sent one by one, but only when an empty transaction has its nonce for good', async () => {
    const queued = await settlements(3)
    await waitTogether(queued)
    const before = await received()
    const { reports } = process(refusing((each) => (isBatchBroadcast(each) ? 'oversized data' : undefined)))
    const emptyOf = async () =>
      (await database.sql`select nonce::int, is_final from send_attempts where send_id = ${`batch:${queued[0]!.id}`} and is_empty`)[0]
    await until(emptyOf)
    await testChain.mine(testChain.config.confirmations - 1)
    const looked = Date.now()
    await until(() => Date.now() - looked > 10 * testChain.config.pollMs)
    for (const payout of queued) expect(await stateOf(payout)).toBe('batched')
    await minedUntil(() => areConfirmed(reports, queued))
    expect(await emptyOf()).toMatchObject({ is_final: true })
    expect(new Set(confirmedOf(reports, queued).map(({ txHash }) => txHash)).size).toBe(3)
    for (const { id } of queued) expect(statesOf(reports, id)).toEqual(['broadcast', 'mined', 'confirmed'])
    expect((await received()) - before).toBe(30n)
  })

  test('error: a batch that one node refuses and another has mined all the same counts, and nobody is paid twice', async () => {
    const queued = await settlements(3)
    await waitTogether(queued)
    const before = await received()
    const { reports } = process(refusing(({ method }) => (method === 'eth_sendRawTransaction' ? 'oversized data' : undefined)))
    const attempts = () => database.sql<{ raw: string; is_empty: boolean }[]>`
      select raw, is_empty from send_attempts where send_id = ${`batch:${queued[0]!.id}`} order by signed_at`
    await until(async () => (await attempts()).some(({ is_empty }) => is_empty))
    await testChain.anvil.ask(['eth_sendRawTransaction', (await attempts())[0]!.raw])
    await minedUntil(() => areConfirmed(reports, queued))
    await testChain.mine(10)
    expect(new Set(confirmedOf(reports, queued).map(({ txHash }) => txHash)).size).toBe(1)
    expect((await received()) - before).toBe(30n)
  })

  test('behavior: a batch waits with its members while the node does not answer', async () => {
    const queued = await settlements(2)
    await waitTogether(queued)
    const chain = createEvmChain(testChain.config)
    let isDown = true
    const attempt = async (given: AbortSignal, ...asks: RpcCall<unknown>[]) => {
      if (isDown) throw new ChainUnavailable(chain.id, 'chain_unavailable', 'the connection was lost.')
      return (chain.rpc.attempt as (given: AbortSignal, ...asks: RpcCall<unknown>[]) => Promise<unknown>)(given, ...asks)
    }
    const { reports, problems } = process(withRpc(chain, { ...chain.rpc, attempt: attempt as Rpc['attempt'] }).payouts)
    await until(() => problems.length >= 3)
    expect(await batchOf(queued)).toMatchObject({ state: 'queued' })
    isDown = false
    await minedUntil(() => areConfirmed(reports, queued))
    expect(new Set(confirmedOf(reports, queued).map(({ txHash }) => txHash)).size).toBe(1)
  })

  test('behavior: a reorganisation deeper than the confirmations puts a batch back in flight, with the member that has left it', async () => {
    const [first, second, third] = await settlements(3)
    const [bad] = await settlements(1, 5_000n)
    const good = [first!, third!]
    const left = { ...second!, legs: [...second!.legs, ...bad!.legs.slice(1)] }
    const queued = [first!, left, third!]
    await waitTogether(queued)
    const before = await received()
    const alone = settleCall({ terms: left.terms!, chainId: 8453, token: left.token, toRecipient: 10n, fee: 5_000n })
    const isAboutLeft = ({ method, params }: RpcCall<unknown>) =>
      method === 'eth_estimateGas' && (params[0] as { data: string }).data === alone.data
    // The node cannot answer about the member that has left, which therefore still waits for a nonce when the blocks disappear.
    const sender = process(refusing((each) => (isAboutLeft(each) ? 'try again' : undefined)))
    await minedUntil(() => areConfirmed(sender.reports, good))
    await until(async () => (await stateOf(left)) === 'queued')
    await sender.stop()
    const undone = await removeBlocks(await blocksOf([`batch:${first!.id}`]))
    expect(await received()).toBe(before)
    const { payouts } = createEvmChain(testChain.config)
    expect(undone).toEqual(good.map(({ id }) => `${id} unmined`))
    expect(await payouts.metrics(database.sql)).toMatchObject({ reopened: 2 })
    for (const payout of queued) expect(await stateOf(payout)).toBe('batched')
    expect(await database.sql.begin((tx) => payouts.markLost(tx, left.id))).toBe(false)

    const next = process()
    await minedUntil(() => areConfirmed(next.reports, good) && statesOf(next.reports, left.id).includes('failed'))
    for (const { id } of good) expect(statesOf(next.reports, id).slice(-2)).toEqual(['mined', 'confirmed'])
    expect((await received()) - before).toBe(20n)
    expect(await payouts.metrics(database.sql)).toEqual({ reopened: 0, lost: 0 })
  })

  test('behavior: a batch that had reverted is never broadcast again, should its block disappear: an empty transaction fills its nonce', async () => {
    const queued = await settlements(2)
    await waitTogether(queued)
    const before = await received()
    const sender = process()
    await until(() => queued.every(({ id }) => statesOf(sender.reports, id).includes('broadcast')))
    await mineReverted()
    await minedUntil(() => areConfirmed(sender.reports, queued))
    await sender.stop()
    const batch = `batch:${queued[0]!.id}`
    // On the new fork the operator was never removed, so the batch would pay both a second time.
    const undone = await removeBlocks(await blocksOf([batch, ...queued.map(({ id }) => id)]))
    expect(undone.toSorted()).toEqual(queued.map(({ id }) => `${id} unmined`))
    const next = process()
    await minedUntil(() => areConfirmed(next.reports, queued))
    await testChain.mine(10)
    expect((await received()) - before).toBe(20n)
    const attempts = await database.sql<{ tx_hash: string; is_empty: boolean }[]>`
      select tx_hash, is_empty from send_attempts where send_id = ${batch} order by signed_at`
    expect(attempts.map(({ is_empty }) => is_empty)).toEqual([false, true])
    const receipts = await testChain.anvil.ask(...attempts.map(({ tx_hash }) => ['eth_getTransactionReceipt', tx_hash] as never))
    expect(receipts.map((receipt) => receipt !== null)).toEqual([false, true])
  })

  test('behavior: a batch whose nonce a foreign transaction has spent takes another, and pays each once', async () => {
    const queued = await settlements(2)
    await waitTogether(queued)
    const before = await received()
    const unreachable = process(refusing(({ method }) => (method === 'eth_sendRawTransaction' ? 'try again' : undefined)))
    const { nonce } = await until(async () => {
      const batch = await batchOf(queued)
      return batch?.state === 'signed' ? batch : undefined
    })
    await unreachable.stop()
    await testChain.mine(2)
    await testChain.anvil.ask(['anvil_impersonateAccount', operator.address])
    await testChain.anvil.ask([
      'eth_sendTransaction',
      { from: operator.address, to: owner.address, value: '0x1', nonce: `0x${Number(nonce).toString(16)}` },
    ])
    await testChain.anvil.ask(['anvil_stopImpersonatingAccount', operator.address])
    await testChain.mine()
    const { reports } = process()
    await minedUntil(() => areConfirmed(reports, queued))
    expect(new Set(confirmedOf(reports, queued).map(({ txHash }) => txHash)).size).toBe(1)
    expect(Number((await batchOf(queued))!.nonce)).toBe(Number(nonce) + 1)
    expect((await received()) - before).toBe(20n)
  })

  test('behavior: two processes that both believe that they have the lease form one batch, and sign for no member of it', async () => {
    const queued = await settlements(3)
    await waitTogether(queued)
    const due = (await sendsDue(database.sql, 8453, 100)) as [Send, ...Send[]]
    expect(due.map(({ id }) => id)).toEqual(queued.map(({ id }) => id))
    const slot = { operator: operator.address, nonce: 1_000_000, signedBlock: 0 }
    const attempt = {
      txHash: '0x1',
      nonce: 1_000_000,
      isEmpty: false,
      raw: '0x',
      gas: 1n,
      maxFeePerGas: 1n,
      maxPriorityFeePerGas: 1n,
      ageMs: 0,
    }
    const formed = await Promise.all([insertBatch(database.sql, due), insertBatch(database.sql, [due[1]!, due[2]!, due[0]])])
    expect(formed.filter((batch) => batch !== undefined)).toHaveLength(1)
    for (const send of due) expect(await takeSlot(database.sql, send, slot, attempt)).toBe(false)
    const before = await received()
    const { reports } = process()
    await minedUntil(() => areConfirmed(reports, queued))
    expect((await received()) - before).toBe(30n)
  })

  test('default: a batch costs less than its settlements alone, even one of two', async () => {
    const gasOf = async (queued: readonly Payout[]) => {
      await waitTogether(queued)
      const { reports, stop } = process()
      await minedUntil(() => areConfirmed(reports, queued))
      await stop()
      return confirmedOf(reports, queued).reduce((sum, { gasUsed }) => sum + gasUsed, 0n) / BigInt(queued.length)
    }
    const costs: Record<string, bigint> = {}
    for (const fee of [undefined, 1n]) {
      await gasOf(await settlements(1, fee))
      for (const size of [1, 2, 20])
        costs[`${fee ? 'with' : 'without'} a fee, ${size} together`] = await gasOf(await settlements(size, fee))
    }
    console.log(
      `gas per order: ${Object.entries(costs)
        .map((entry) => entry.join(': '))
        .join('; ')}`,
    )
    expect(costs['without a fee, 2 together']).toBeLessThan(costs['without a fee, 1 together']!)
    expect(costs['with a fee, 2 together']).toBeLessThan(costs['with a fee, 1 together']!)
  })
})
