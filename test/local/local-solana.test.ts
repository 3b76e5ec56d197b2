import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { address } from '@solana/kit'
import { expect, onTestFinished, test } from 'vitest'
import { solanaMerchant, solanaOperator } from '../../local/solana/accounts.ts'
import { type LocalSolana, type LocalSolanaOptions, startLocalSolana } from '../../local/solana/start-local-solana.ts'
import { localTokens } from '../../local/solana/tokens.ts'
import type { LocalPrices } from '../../local/prices.ts'
import { solanaNetwork } from '../../local/scenarios/networks/solana/solana-network.ts'
import { ChainMisconfigured } from '../../server/chains/chain-misconfigured.ts'
import { createSolanaChain } from '../../server/chains/solana/create-solana-chain.ts'
import { until } from '../support/wait.ts'

/** The chain of local mode: what it has from the beginning, what a restart keeps, and what scenarios do on it. */

const signal = AbortSignal.timeout(600_000)
const usdc = localTokens[0].address

async function start(options: Partial<LocalSolanaOptions> = {}): Promise<LocalSolana> {
  const solana = await startLocalSolana({ slots: 'manual', finalAfter: 3, ...options })
  onTestFinished(() => solana.stop().catch(() => undefined))
  return solana
}

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'till-local-solana-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const holdings = async (solana: LocalSolana, of: string) =>
  Object.fromEntries((await createSolanaChain(solana.config).holdings!(of, signal)).map(({ token, amount }) => [token.symbol, amount]))

test('default: it is what its entry of the table says, and wallets have coins and tokens', async () => {
  const solana = await start()
  expect(solana.chain).toMatchObject({
    family: 'solana',
    tokens: [{ symbol: 'USDC' }, { symbol: 'USDT' }, { symbol: 'SOL', address: null }],
  })
  await createSolanaChain(solana.config).check(signal)
  for (const { address: of } of solana.wallets)
    expect(await holdings(solana, of)).toEqual({ USDC: 100_000_000_000n, USDT: 100_000_000_000n, SOL: 100_000_000_000n })
  expect((await holdings(solana, solanaOperator.address)).SOL).toBe(100_000_000_000n)
})

test('error: another cluster, a token that is not there, other decimals and another signer are refused', async () => {
  const { config } = await start()
  const refusal = (change: object) =>
    createSolanaChain({ ...config, ...change })
      .check(signal)
      .then(
        () => undefined,
        (error: unknown) => (error instanceof ChainMisconfigured ? error.message : error),
      )
  const token = config.tokens[0]!
  expect(await refusal({ genesis: '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d' })).toMatch(/its nodes serve another cluster/)
  expect(await refusal({ tokens: [{ ...token, address: solanaMerchant }] })).toMatch(/is not a token of a token program/)
  expect(await refusal({ tokens: [{ ...token, address: '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU' }] })).toMatch(/does not exist/)
  expect(await refusal({ tokens: [{ ...token, decimals: 9 }] })).toMatch(/has 6 decimals and not 9/)
})

const prices = { get: async () => undefined, set: async () => undefined } satisfies LocalPrices
const money = (solana: LocalSolana, token: string | null, raw: bigint) => ({ chainId: solana.config.chainId, token, raw })

test('behavior: a payer pays in coins or tokens, also whom has no account yet', async () => {
  const solana = await start()
  const network = solanaNetwork(solana, prices)
  const to = (await network.payerWith(money(solana, null, 1n))).address
  await (await network.payerWith(money(solana, usdc, 7_000_000n))).send(to)
  await (await network.payerWith(money(solana, null, 5_000_000n))).send(to)
  await network.mine(1)
  expect(await holdings(solana, to)).toEqual({ USDC: 7_000_000n, USDT: 0n, SOL: 15_000_001n })
})

test('behavior: slots follow each other by themselves, and wait while a scenario makes them', async () => {
  const solana = await start({ slots: { ms: 5 } })
  const { ledger } = solana.node
  const slot = () => ledger.tip('processed').slot
  const first = slot()
  await until(() => slot() > first + 3, { what: 'slots pass' })
  await solanaNetwork(solana, prices).byHand(async ({ mine }) => {
    const before = slot()
    await createSolanaChain(solana.config).check(signal)
    expect(slot()).toBe(before)
    await mine()
    expect(slot()).toBe(before + 1)
  })
})

test('behavior: a transfer that a fork has removed may be included again', async () => {
  const solana = await start()
  const network = solanaNetwork(solana, prices)
  const payer = await network.payerWith(money(solana, usdc, 7_000_000n))
  await network.mine(1)
  await network.byHand(async ({ mine, removeTransaction, rebroadcast }) => {
    const hash = await payer.send(solanaMerchant)
    await mine()
    const before = (await holdings(solana, solanaMerchant)).USDC!
    await removeTransaction(hash)
    expect((await holdings(solana, solanaMerchant)).USDC).toBe(before - 7_000_000n)
    await rebroadcast()
    await mine()
    expect((await holdings(solana, solanaMerchant)).USDC).toBe(before)
  })
})

test('behavior: after a restart on the same folder it is the same chain, as if it had gone on', async () => {
  const folder = emptyFolder()
  const first = await start({ folder, slots: { ms: 20 } })
  const network = solanaNetwork(first, prices)
  const payer = await network.payerWith(money(first, usdc, 7_000_000n))
  const kept = await payer.send(solanaMerchant)
  const lost = await network.byHand(async ({ removeTransaction }) => {
    const hash = await (await network.payerWith(money(first, usdc, 1_000_000n))).send(solanaMerchant)
    await removeTransaction(hash)
    return hash
  })
  const { slot, height } = first.node.ledger.tip('processed')
  const held = await holdings(first, solanaMerchant)
  await first.stop()
  const second = await start({ folder, slots: { ms: 20 } })
  const { ledger } = second.node
  expect(ledger.tip('processed').slot).toBeGreaterThan(slot)
  expect(ledger.tip('processed').height).toBeGreaterThan(height)
  expect(ledger.landed(kept)).toMatchObject({ error: undefined })
  expect(ledger.landed(lost)).toBeUndefined()
  ledger.advance(4)
  expect(await holdings(second, solanaMerchant)).toEqual(held)
  expect(ledger.account(address(usdc), 'finalized')).toBeDefined()
})
