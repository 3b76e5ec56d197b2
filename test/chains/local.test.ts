import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createEvmChain } from '../../server/chains/evm/create-evm-chain.ts'
import { startLocalChains } from '../../local/chains.ts'
import { commandOf, identify } from '../../local/pids.ts'
import { root } from '../support/root.ts'
import { until } from '../support/wait.ts'
import { alice, signal, testChain } from './support.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'till-chains-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('local chains', () => {
  test('behavior: start with everything that Till needs, identical on both', async () => {
    const local = await startLocalChains()
    try {
      expect(local.chains.map(({ chain_id }) => chain_id)).toEqual([8453, 1])
      const [base, ethereum] = local.chains
      expect(base!.tokens).toEqual(ethereum!.tokens)
      expect(base!.tokens.map(({ symbol, decimals, eip3009 }) => [symbol, decimals, eip3009])).toEqual([
        ['USDC', 6, true],
        ['USDT', 6, false],
        ['DAI', 18, false],
        ['ETH', 18, false],
        ['WETH', 18, false],
      ])
      expect(local.accounts).toHaveLength(10)
      for (const config of local.configs) {
        const chain = createEvmChain(config)
        await chain.checkFactory(signal)
        const { number } = await chain.head(signal)
        for (const { address } of config.tokens) {
          const held = await chain.balances(
            local.accounts.map((each) => each.address),
            address,
            number,
            signal,
          )
          expect(held.every((amount) => amount > 0n)).toBe(true)
        }
      }
    } finally {
      await local.stop()
    }
  })

  test('behavior: mine blocks by themselves', async () => {
    const local = await startLocalChains({ chainIds: [8453], mining: { seconds: 0.05 } })
    try {
      const test = testChain(local, 0)
      const { number } = await test.chain.head(signal)
      await test.sendToken(alice, 'USDC', test.depositAddress('o'), 1n)
      await until(async () => (await test.chain.head(signal)).number > number + 3)
    } finally {
      await local.stop()
    }
  })

  test('behavior: resume where they stopped', async () => {
    const first = await startLocalChains({ folder, mining: { seconds: 0.05 } })
    const before = testChain(first, 0)
    const hash = await before.sendToken(alice, 'USDC', before.depositAddress('kept'), 5n)
    const seen = await before.chain.transaction(hash, signal)
    await first.stop()

    const second = await startLocalChains({ folder, mining: 'manual' })
    try {
      const after = testChain(second, 0)
      expect(await after.chain.transaction(hash, signal)).toEqual(seen)
      expect(await after.chain.block(seen!.blocks[0]!.number, signal)).toEqual(seen!.blocks[0])
      const { number } = await after.chain.head(signal)
      expect(await after.chain.balances([after.depositAddress('kept')], after.token('USDC'), number, signal)).toEqual([5n])
      await after.mine()
      expect((await after.chain.head(signal)).number).toBe(number + 1)
    } finally {
      await second.stop()
    }
  })

  test('behavior: leave no process behind, even when their parent was killed', async () => {
    const script = `
      import { startLocalChains } from './local/chains.ts'
      void startLocalChains({ folder: ${JSON.stringify(folder)} }).then((local) => console.log(JSON.stringify(local.anvils.map(({ pid }) => pid))))`
    const parent = spawn('node', ['--import', 'tsx', '--input-type=module', '-e', script], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'inherit'],
      // Whatever chain another test file starts meanwhile would stop these orphans, if their records were in the folder that all share.
      env: { ...process.env, TMPDIR: folder },
    })
    const [line] = (await once(parent.stdout, 'data')) as [Buffer]
    const orphans: number[] = JSON.parse(line.toString())
    parent.kill('SIGKILL')
    await once(parent, 'exit')
    expect(orphans.map((pid) => commandOf(pid))).toEqual([expect.stringContaining('anvil'), expect.stringContaining('anvil')])

    const local = await startLocalChains({ folder })
    expect(orphans.map((pid) => identify(pid))).toEqual([undefined, undefined])
    const { pid } = local.anvils[0]!
    await local.stop()
    expect(identify(pid)).toBeUndefined()
  })

  test('behavior: leave no process behind after a killed test either', async () => {
    const script = `
      import { startAnvil } from './local/chains/anvil.ts'
      void startAnvil({ chainId: 1 }).then(({ pid }) => console.log(pid))`
    const parent = spawn('node', ['--import', 'tsx', '--input-type=module', '-e', script], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [line] = (await once(parent.stdout, 'data')) as [Buffer]
    parent.kill('SIGKILL')
    await once(parent, 'exit')
    const local = await startLocalChains({ chainIds: [1], mining: 'manual' })
    try {
      expect(identify(Number(line.toString()))).toBeUndefined()
    } finally {
      await local.stop()
    }
  })

  test('error: an unreadable saved state is named, and nothing is left running', async () => {
    await (await startLocalChains({ folder, chainIds: [1], mining: 'manual' })).stop()
    const file = join(folder, '1.state')
    writeFileSync(file, readFileSync(file).subarray(0, 100))
    await expect(startLocalChains({ folder, chainIds: [1] })).rejects.toThrow(/saved state of local chain 1 .* delete it to begin afresh/)
  })
})
