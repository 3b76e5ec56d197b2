import { kill } from 'node:process'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { payers } from '../../local/chains/accounts.ts'
import type { Client } from '../support/client/client.ts'
import { type Stage, startStage } from '../support/service/stage.ts'
import { until } from '../support/wait.ts'

let stage: Stage
let client: Client
const rich = payers[0]!.address
const poor = `0x${'ab'.repeat(20)}`
const solana = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
const evm = (address: string, ...chain_ids: number[]) => ({ address, chain_type: 'EVM', chain_ids })
const read = (wallets: object[], filter?: object) => client.ask('portfolio', { body: { wallets, filter } })
/** Reads until this many wallets could be read, since on a slow machine a chain may take longer than the service waits for it. */
const readAll = (wallets: object[], count: number) =>
  until(async () => {
    const answer = await read(wallets)
    return answer.portfolio.length === count ? answer : undefined
  })
beforeAll(async () => {
  stage = await startStage({ mining: 'manual' })
  client = (await stage.merchant()).at(await stage.start())
})
afterAll(async () => {
  await stage?.close()
})

test('default: every token of every requested chain, the most valuable first', async () => {
  const { portfolio } = await until(async () => {
    const answer = await read([evm(rich, 8453, 1)])
    return answer.errors.length === 0 ? answer : undefined
  })
  expect(portfolio.map(({ address }) => address)).toEqual([rich])
  const balances = portfolio[0]!.balances
  expect(balances.map(({ currency }) => `${currency.symbol} ${currency.chain_id}`).sort()).toEqual(
    ['DAI', 'ETH', 'USDC', 'USDT', 'WETH'].flatMap((symbol) => [`${symbol} 1`, `${symbol} 8453`]),
  )
  expect(balances[0]!.currency.symbol).toBe('ETH')
  const worth = balances.map(({ amount }) => amount.value_usd)
  expect(worth).toEqual(worth.toSorted((a, b) => b - a))
  expect(balances.find(({ currency }) => currency.symbol === 'DAI')!.amount).toEqual({
    raw: `${10n ** 26n}`,
    ui: '100000000',
    value_usd: 100_000_000,
  })
})

test('behavior: only tokens with a balance that pass the filter', async () => {
  expect(await read([evm(poor, 8453)])).toEqual({ portfolio: [{ address: poor, balances: [] }], errors: [] })
  expect(
    (await read([evm(rich, 8453)], { min_balance_usd: 150_000_000 })).portfolio[0]!.balances.map(({ currency }) => currency.symbol),
  ).toEqual(['ETH'])
  expect((await read([evm(rich, 8453)], { limit: 2 })).portfolio[0]!.balances).toHaveLength(2)
})

test('behavior: an unreadable wallet is reported next to the readable ones', async () => {
  const { portfolio, errors } = await read([
    evm(rich, 8453),
    { address: solana, chain_type: 'SOL', chain_ids: [30000000000001] },
    evm(rich, 8453, 10),
    evm('bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', 8453),
    evm(poor, 42161),
  ])
  expect(portfolio.map(({ address, balances }) => [address, balances.length])).toEqual([
    [rich, 5],
    [rich, 5],
  ])
  expect(errors.map(({ address }) => address)).toEqual([solana, rich, 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', poor])
  expect(errors[1]!.message).toContain('Optimism')
})

test('behavior: a chain that never answers delays nobody', async () => {
  kill(stage.ethereum.anvil.pid, 'SIGSTOP')
  try {
    const { portfolio, errors } = await readAll([evm(rich, 8453, 1), evm(poor, 1)], 1)
    expect(portfolio.map(({ address, balances }) => [address, balances.length])).toEqual([[rich, 5]])
    expect(errors.map(({ address, message }) => [address, message.includes('Ethereum')])).toEqual([
      [rich, true],
      [poor, true],
    ])
  } finally {
    kill(stage.ethereum.anvil.pid, 'SIGCONT')
  }
})

test('error: a request names between one and ten wallets, each with a chain', async () => {
  const refused = (wallets: object[]) => client.refused('portfolio', 400, { body: { wallets } })
  await refused([])
  await refused(Array.from({ length: 11 }, () => evm(rich, 8453)))
  await refused([evm(rich)])
  await refused([evm(rich, 5)])
  await refused([{ ...evm(rich, 1), chain_type: 'TRON' }])
  await readAll(
    Array.from({ length: 10 }, () => evm(poor, 8453)),
    10,
  )
})
