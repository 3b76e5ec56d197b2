import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import * as z from 'zod'
import { bitcoinMerchant } from '../../local/bitcoin/accounts.ts'
import { findBitcoind, sourceOf } from '../../local/bitcoin/find-bitcoind.ts'
import { type LocalBitcoin, type LocalBitcoinOptions, startLocalBitcoin } from '../../local/bitcoin/start-local-bitcoin.ts'
import type { LocalPrices } from '../../local/prices.ts'
import { bitcoinNetwork } from '../../local/scenarios/networks/bitcoin/bitcoin-network.ts'
import { recordNodes } from '../support/service/bitcoin-nodes.ts'
import { keyHashAccount } from '../support/wallets/bitcoin-wallet.ts'
import { until } from '../support/wait.ts'

/** The chain of local mode, on our own node, and on a real one that can be started here. One that already runs has a chain that is not empty. */

const { recorded, say } = recordNodes()
afterAll(() => say('The chain of local mode'))

const source = sourceOf(process.env)
describe('local Bitcoin on our node', () => localBitcoinOn({}))
if (source.is === 'program') describe(`local Bitcoin on ${source.program}`, () => localBitcoinOn({ TILL_BITCOIND: source.program }))

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'till-local-bitcoin-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const heightOf = ({ rpc }: LocalBitcoin) => rpc.call('getblockcount', [], z.number())
const waitingOf = ({ rpc }: LocalBitcoin) => rpc.call('getrawmempool', [], z.array(z.string()))
const amount = 65_000n

/** Prices that only remember. */
function prices(): LocalPrices & { readonly seen: string[] } {
  let usd = '65000'
  const seen: string[] = []
  return {
    seen,
    get: async () => ({ usd, asOf: 0 }),
    set: async (_, to) => {
      usd = to
      seen.push(to)
    },
  }
}

const networkOf = (bitcoin: LocalBitcoin) => bitcoinNetwork(bitcoin, prices())
const coins = { chainId: 20_000_000_000_001, token: null, raw: amount }

/** A payer's own payment needs a block, and the miner of these tests is the test. */
async function payerOn(bitcoin: LocalBitcoin) {
  const payer = networkOf(bitcoin).payerWith(coins)
  await until(async () => (await waitingOf(bitcoin)).length > 0, { what: 'the faucet has paid' })
  await bitcoin.faucet.mine(1)
  return payer
}

function localBitcoinOn(env: LocalBitcoinOptions['env']): void {
  async function start(options: Partial<LocalBitcoinOptions> = {}): Promise<LocalBitcoin> {
    const bitcoin = await recorded(startLocalBitcoin({ env, mining: 'manual', ...options }))
    onTestFinished(() => bitcoin.stop().catch(() => undefined))
    return bitcoin
  }

  test('default: it has the table’s entry of a chain whose account signs here, and wallets with coins', async () => {
    const { config, chain, wallets, rpc } = await start()
    expect(config).toMatchObject({ family: 'bitcoin', chainId: 20_000_000_000_001, network: 'local', account: { kind: 'local' } })
    expect(chain).toMatchObject({ family: 'bitcoin', tokens: [{ symbol: 'BTC', address: null, decimals: 8 }] })
    for (const { address } of wallets) {
      const { unspents } = await rpc.call('scantxoutset', ['start', [`addr(${address})`]], z.object({ unspents: z.array(z.unknown()) }))
      expect(unspents).toHaveLength(4)
    }
  })

  test('behavior: it mines what waits, and gives it confirmations', async () => {
    const bitcoin = await start({ mining: { blockMs: 30 } })
    const txid = await bitcoin.faucet.pay(bitcoinMerchant, amount)
    const Output = z.object({ confirmations: z.number() }).nullable()
    await until(async () => ((await bitcoin.rpc.call('gettxout', [txid, 0, false], Output))?.confirmations ?? 0) >= 3)
    expect(await waitingOf(bitcoin)).toEqual([])
  })

  test('behavior: the miner waits while blocks are mined by hand', async () => {
    const bitcoin = await start({ mining: { blockMs: 10 } })
    const payer = await networkOf(bitcoin).payerWith(coins)
    await networkOf(bitcoin).byHand(async ({ mine }) => {
      const txid = await payer.send(bitcoinMerchant)
      const height = await heightOf(bitcoin)
      // These calls take longer than many of the miner's ticks.
      for (let calls = 0; calls < 100; calls++) expect(await waitingOf(bitcoin)).toEqual([txid])
      expect(await heightOf(bitcoin)).toBe(height)
      await mine()
      expect(await heightOf(bitcoin)).toBe(height + 1)
      expect(await waitingOf(bitcoin)).toEqual([])
    })
  })

  test('behavior: after a restart on the same folder it is the same chain', async () => {
    const folder = emptyFolder()
    const first = await start({ folder })
    const [height, account] = [await heightOf(first), first.config.account.key.publicExtendedKey]
    const txid = await first.faucet.pay(bitcoinMerchant, amount)
    await first.stop()
    const second = await start({ folder })
    expect(await heightOf(second)).toBe(height)
    expect(await waitingOf(second)).toEqual([txid])
    expect(second.config.account.key.publicExtendedKey).toBe(account)
  })

  test('error: a node with another chain than the folder’s is refused', async () => {
    const folder = emptyFolder()
    await (await start({ folder })).stop()
    const other = await findBitcoind(env)
    onTestFinished(() => other.stop())
    // Two chains with the same miner that begin in the same second would have the same blocks.
    await other.rpc.call('generatetoaddress', [1, keyHashAccount('another miner').address], z.array(z.string()))
    await expect(start({ folder, env: { TILL_BITCOIND_RPC: other.url } })).rejects.toThrow(/has another chain .* start with the same node/)
  })

  test('error: a node that dies is reported', async () => {
    const node = await findBitcoind(env)
    const bitcoin = await start({ env: { TILL_BITCOIND_RPC: node.url }, mining: { blockMs: 20 } })
    await node.stop()
    await expect(bitcoin.failed).rejects.toThrow()
  })

  test('behavior: a payer’s wallet replaces what waits, by the same payment or by none', async () => {
    const bitcoin = await start()
    const payer = await payerOn(bitcoin)
    const first = await payer.send(bitcoinMerchant)
    expect(await waitingOf(bitcoin)).toEqual([first])
    const second = await payer.replace!(bitcoinMerchant)
    expect(await waitingOf(bitcoin)).toEqual([second])
    const another = await payerOn(bitcoin)
    await another.send(bitcoinMerchant)
    const back = await another.replace!(another.address)
    expect(await waitingOf(bitcoin)).toEqual([back])
  })

  test('behavior: a reorganisation takes a transaction out of its block, and it waits until it may be mined again', async () => {
    const bitcoin = await start()
    const payer = await payerOn(bitcoin)
    await networkOf(bitcoin).byHand(async ({ mine, removeTransaction, rebroadcast, keepsRemoved }) => {
      expect(keepsRemoved).toBe(true)
      const txid = await payer.send(bitcoinMerchant)
      await mine()
      const height = await heightOf(bitcoin)
      await removeTransaction(txid)
      expect(await heightOf(bitcoin)).toBe(height)
      await mine()
      expect(await waitingOf(bitcoin)).toEqual([txid])
      await rebroadcast()
      await mine()
      expect(await waitingOf(bitcoin)).toEqual([])
      await expect(removeTransaction('00'.repeat(32))).rejects.toThrow('The transfer is not in the newest block.')
    })
  })

  test('behavior: the coin’s price is 5 % lower while a scenario wants it, and then what it was', async () => {
    const bitcoin = await start()
    const local = prices()
    const { withLowerPrice } = bitcoinNetwork(bitcoin, local)
    await expect(withLowerPrice(() => Promise.reject(new Error('stop')))).rejects.toThrow('stop')
    expect(local.seen).toEqual(['61750', '65000'])
  })
}
