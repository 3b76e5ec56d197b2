import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { RawTx } from '@scure/btc-signer/script.js'
import type { Transaction } from '@scure/btc-signer'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import * as z from 'zod'
import { decodeHeader, hashOf, merkleRoot, transactionsOf } from '../../local/bitcoin/block.ts'
import { Amount } from '../../local/bitcoin/bitcoin-rpc.ts'
import { createFaucet, type Faucet } from '../../local/bitcoin/faucet.ts'
import type { BitcoinNode } from '../../local/bitcoin/find-bitcoind.ts'
import { keyHashAccount, spend, taprootAccount, type BitcoinAccount, type OwnedCoin } from '../support/wallets/bitcoin-wallet.ts'

export type KillableNode = BitcoinNode & { kill(): Promise<void> }

/** A node that is started here can be stopped, killed and started again on its folder. */
export interface Restarts {
  start(folder: string): Promise<BitcoinNode>
  /** Starts the node in a process of its own. */
  startKillable(folder: string): Promise<KillableNode>
}

export interface BitcoinNodeUnderTest {
  start(): Promise<BitcoinNode>
  readonly restarts?: Restarts
}

const Hash = z.string().length(64)
const Hashes = z.array(Hash)
const Block = z.object({ hash: Hash, confirmations: z.number(), height: z.number(), tx: Hashes, nextblockhash: Hash.optional() })
const Output = z.object({ value: Amount, n: z.number(), scriptPubKey: z.object({ hex: z.string(), address: z.string().optional() }) })
const Decoded = z.object({ txid: Hash, vout: z.array(Output) })
const TestResult = z.tuple([z.object({ txid: Hash, allowed: z.boolean(), 'reject-reason': z.string().optional() })])

/** What the service, the page's tests and local mode rely on, whatever node they have. */
export function bitcoinNodeContract(name: string, { start, restarts }: BitcoinNodeUnderTest): void {
  describe(`Bitcoin node contract: ${name}`, () => {
    let node: BitcoinNode
    let faucet: Faucet
    /** Names accounts that no other test uses, and that a chain which outlives the run has never seen. */
    let names = 0
    const run = Date.now()
    const keyHash = () => keyHashAccount(`${run} ${++names}`)
    const taproot = () => taprootAccount(`${run} ${++names}`)

    beforeAll(async () => {
      node = await start()
      faucet = await createFaucet(node.rpc)
    })
    beforeEach(async () => void (await mine()))
    afterAll(() => node?.stop())

    const call = <T>(answer: z.ZodType<T>, method: string, ...params: unknown[]) => node.rpc.call(method, params, answer)
    const refusal = (method: string, ...params: unknown[]) =>
      call(z.unknown(), method, ...params).then(
        () => undefined,
        (error: unknown) => error,
      )
    const send = ({ hex }: { readonly hex: string }) => call(Hash, 'sendrawtransaction', hex)
    const mempool = () => call(Hashes, 'getrawmempool')
    const tip = () => call(Hash, 'getbestblockhash')
    /** Mines what waits. Every block goes to another address, since an equal block would have the hash of one that was invalidated. */
    const mine = async (blocks = 1) => (await call(Hashes, 'generatetoaddress', blocks, keyHash().address)).at(-1)!

    /** Pays an account by the faucet, and finds the coin. */
    async function fund(owner: BitcoinAccount, amount = 1_000_000n): Promise<OwnedCoin> {
      const txid = await faucet.pay(owner.address, amount)
      const { vout } = await call(Decoded, 'getrawtransaction', txid, true)
      const paid = vout.find(({ scriptPubKey }) => scriptPubKey.address === owner.address)
      expect(paid?.value).toBe(amount)
      return { owner, txid, vout: paid!.n, amount }
    }

    async function expectRefused(transaction: { readonly hex: string }, reason: RegExp): Promise<void> {
      expect(await refusal('sendrawtransaction', transaction.hex)).toMatchObject({ code: -26, message: expect.stringMatching(reason) })
      const [result] = await call(TestResult, 'testmempoolaccept', [transaction.hex])
      expect(result).toMatchObject({ allowed: false, 'reject-reason': expect.stringMatching(reason) })
    }

    test('default: a payment is in the mempool at once, and in the next block', async () => {
      const before = await tip()
      const coins = [await fund(keyHash()), await fund(taproot())]
      expect(await mempool()).toEqual(expect.arrayContaining(coins.map(({ txid }) => txid)))
      const mined = await call(Block, 'getblock', await mine(), 1)
      expect(mined.tx).toEqual(expect.arrayContaining(coins.map(({ txid }) => txid)))
      expect(await mempool()).toEqual([])
      expect(await call(Block, 'getblock', before)).toMatchObject({ nextblockhash: mined.hash, confirmations: 2 })
      for (const { owner, txid, vout, amount } of coins) {
        const coin = await call(z.object({ confirmations: z.number(), value: Amount }), 'gettxout', txid, vout)
        expect(coin).toEqual({ confirmations: 1, value: amount })
        const Scan = z.object({ unspents: z.array(z.object({ txid: Hash, vout: z.number(), amount: Amount })) })
        const { unspents } = await call(Scan, 'scantxoutset', 'start', [`addr(${owner.address})`])
        expect(unspents).toEqual([{ txid, vout, amount }])
      }
    })

    test('behavior: coins of both kinds are spent by their keys, also in one transaction and before a block', async () => {
      const coins = [await fund(keyHash()), await fund(taproot()), await fund(keyHash())]
      const transaction = spend(coins, { outputs: [[taproot().address, 2_900_000n]] })
      const [result] = await call(TestResult, 'testmempoolaccept', [transaction.hex])
      expect(result).toMatchObject({ txid: transaction.id, allowed: true })
      expect(await send(transaction)).toBe(transaction.id)
      expect(await send(transaction)).toBe(transaction.id)
      const Spenders = z.array(z.object({ spendingtxid: Hash.optional() }))
      const outputs = [...coins.map(({ txid, vout }) => ({ txid, vout })), { txid: transaction.id, vout: 0 }]
      expect((await call(Spenders, 'gettxspendingprevout', outputs)).map(({ spendingtxid }) => spendingtxid)).toEqual([
        ...coins.map(() => transaction.id),
        undefined,
      ])
      expect((await call(Block, 'getblock', await mine())).tx).toContain(transaction.id)
      expect(await refusal('sendrawtransaction', transaction.hex)).toMatchObject({ code: -27 })
    })

    test('behavior: a signature may cover all, none or one of the outputs, and all inputs or its own', async () => {
      for (const account of [keyHash, taproot]) {
        for (const sighash of [1, 2, 3, 0x81, 0x82, 0x83]) {
          const transaction = spend([await fund(account())], { outputs: [[keyHash().address, 900_000n]], sighash })
          expect(await send(transaction)).toBe(transaction.id)
        }
        await mine()
      }
    })

    test('behavior: every standard kind of output is paid', async () => {
      const coin = await fund(keyHash())
      const scripts = ['76a914' + '07'.repeat(20) + '88ac', 'a914' + '07'.repeat(20) + '87', '0020' + '07'.repeat(32)]
      const outputs = [...scripts, '6a0401020304'].map((hex): [Uint8Array, bigint] => [
        Buffer.from(hex, 'hex'),
        hex.startsWith('6a') ? 0n : 100_000n,
      ])
      const transaction = spend([coin], { outputs: [...outputs, [keyHash().address, 600_000n]] })
      await send(transaction)
      const { vout } = await call(Decoded, 'getrawtransaction', transaction.id, true)
      expect(vout.map(({ scriptPubKey }) => scriptPubKey.hex).slice(0, 3)).toEqual(scripts)
      expect(vout.map(({ value }) => value)).toEqual([100_000n, 100_000n, 100_000n, 0n, 600_000n])
      await mine()
    })

    test('error: a wrong signature, a wrong key or none is refused', async () => {
      const own = await fund(keyHash())
      const tap = await fund(taproot())
      const outputs = [[keyHash().address, 900_000n]] as const
      const unsigned = (transaction: Transaction) => RawTx.encode({ ...RawTx.decode(transaction.unsignedTx), witnesses: undefined })
      const witnessed = (transaction: Transaction, witness: readonly Uint8Array[]) => {
        const raw = RawTx.decode(Buffer.from(transaction.hex, 'hex'))
        return { hex: Buffer.from(RawTx.encode({ ...raw, witnesses: [[...witness]] })).toString('hex') }
      }
      const witnessOf = (transaction: Transaction) => RawTx.decode(Buffer.from(transaction.hex, 'hex')).witnesses![0]!
      const damaged = (bytes: Uint8Array, at: number) => bytes.map((byte, index) => (index === at ? byte ^ 1 : byte))

      const good = spend([own], { outputs })
      const [signature, key] = witnessOf(good)
      await expectRefused(witnessed(good, [damaged(signature!, 12), key!]), /Signature must be zero/)
      await expectRefused(witnessed(good, [signature!.subarray(0, 30), key!]), /Non-canonical DER/)
      await expectRefused(witnessed(good, [damaged(signature!, signature!.length - 1), key!]), /hash type missing|Signature must be zero/)
      await expectRefused(witnessed(good, [signature!, damaged(key!, 5)]), /EQUALVERIFY/)
      await expectRefused(witnessed(good, [signature!]), /Witness program hash mismatch/)
      await expectRefused({ hex: Buffer.from(unsigned(good)).toString('hex') }, /Witness program hash mismatch/)

      const goodTap = spend([tap], { outputs })
      const [schnorr] = witnessOf(goodTap)
      await expectRefused(witnessed(goodTap, [damaged(schnorr!, 12)]), /Invalid Schnorr signature\)/)
      await expectRefused(witnessed(goodTap, [schnorr!.subarray(1)]), /Invalid Schnorr signature size/)
      await expectRefused(witnessed(goodTap, [Buffer.concat([schnorr!, Buffer.from([0])])]), /Invalid Schnorr signature hash type/)
      // A signature over other amounts: the coin is worth less than the signer believed.
      await expectRefused(spend([{ ...own, amount: 2_000_000n }], { outputs }), /Signature must be zero/)
      await expectRefused(spend([{ ...tap, amount: 2_000_000n }], { outputs }), /Invalid Schnorr signature\)/)
      expect(await send(good)).toBe(good.id)
      expect(await send(goodTap)).toBe(goodTap.id)
    })

    test('error: dust is refused, and the least amounts above it are not', async () => {
      const [first, second] = [await fund(keyHash()), await fund(taproot())]
      const pays = (to: string, amount: bigint) =>
        spend([first], {
          outputs: [
            [to, amount],
            [keyHash().address, 900_000n],
          ],
        })
      await expectRefused(pays(keyHash().address, 293n), /dust/)
      await expectRefused(pays(taproot().address, 329n), /dust/)
      const least: [string, bigint][] = [
        [keyHash().address, 294n],
        [taproot().address, 330n],
      ]
      await send(spend([second], { outputs: [...least, [keyHash().address, 900_000n]] }))
    })

    test('error: a fee below the least or above the caller’s most is refused', async () => {
      const coin = await fund(keyHash())
      const to = keyHash().address
      const { vsize } = spend([coin], { outputs: [[to, 900_000n]] })
      const { minrelaytxfee } = await call(z.object({ minrelaytxfee: Amount }), 'getmempoolinfo')
      const least = (minrelaytxfee * BigInt(vsize) + 999n) / 1000n
      await expectRefused(spend([coin], { outputs: [[to, coin.amount]] }), /fee not met/)
      await expectRefused(spend([coin], { outputs: [[to, coin.amount - least / 2n]] }), /fee not met/)
      const costly = spend([coin], { outputs: [[to, 900_000n]] })
      expect(await refusal('sendrawtransaction', costly.hex, 0.0001)).toMatchObject({
        code: -25,
        message: expect.stringMatching(/maxfeerate/),
      })
      expect(await refusal('sendrawtransaction', costly.hex, 1)).toMatchObject({ code: -8 })
      await expectRefused(spend([{ ...coin, amount: 9_000_000n }], { outputs: [[to, coin.amount + 1n]] }), /bad-txns-in-belowout/)
      await send(spend([coin], { outputs: [[to, coin.amount - least - 1n]] }))
    })

    test('error: coins that never were, or are spent already, are refused', async () => {
      const coin = await fund(keyHash())
      const orphan = spend([{ ...coin, txid: '11'.repeat(32) }], { outputs: [[keyHash().address, 900_000n]] })
      expect(await refusal('sendrawtransaction', orphan.hex)).toMatchObject({ code: -25, message: expect.stringMatching(/missingorspent/) })
      expect(await call(TestResult, 'testmempoolaccept', [orphan.hex])).toMatchObject([{ 'reject-reason': 'missing-inputs' }])
      await send(spend([coin], { outputs: [[keyHash().address, 900_000n]] }))
      await mine()
      const double = spend([coin], { outputs: [[keyHash().address, 800_000n]] })
      expect(await refusal('sendrawtransaction', double.hex)).toMatchObject({ code: -25, message: expect.stringMatching(/missingorspent/) })
      expect(await call(z.null(), 'gettxout', coin.txid, coin.vout)).toBeNull()
    })

    test('error: a lock time or a sequence that is not reached yet is refused', async () => {
      const coin = await fund(keyHash())
      await mine()
      const outputs = [[keyHash().address, 900_000n]] as const
      const height = await call(z.number(), 'getblockcount')
      await expectRefused(spend([coin], { outputs, lockTime: height + 1 }), /non-final/)
      await expectRefused(spend([coin], { outputs, sequence: 2 }), /non-BIP68-final/)
      await mine()
      await send(spend([coin], { outputs, lockTime: height + 1, sequence: 2 }))
    })

    test('behavior: a replacement pays more than all that it replaces, and for its own relay', async () => {
      const coin = await fund(keyHash())
      const to = keyHash()
      const paying = (fee: bigint) =>
        spend([coin], {
          outputs: [
            [to.address, 500_000n],
            [keyHash().address, 500_000n - fee],
          ],
        })
      const first = paying(2_000n)
      const child = spend([{ owner: to, txid: first.id, vout: 0, amount: 500_000n }], { outputs: [[keyHash().address, 490_000n]] })
      await send(first)
      await send(child)
      await expectRefused(paying(2_000n), /insufficient fee/)
      await expectRefused(paying(1_900n), /insufficient fee/)
      await expectRefused(paying(11_000n), /insufficient fee/)
      await expectRefused(paying(12_010n), /insufficient fee/)
      const replacement = paying(12_500n)
      expect(await send(replacement)).toBe(replacement.id)
      const waiting = await mempool()
      expect(waiting).toContain(replacement.id)
      expect(waiting).not.toContain(first.id)
      expect(waiting).not.toContain(child.id)
      expect(await refusal('getmempoolentry', first.id)).toMatchObject({ code: -5, message: expect.stringMatching(/not in mempool/) })
      const [spender] = await call(z.array(z.object({ spendingtxid: Hash })), 'gettxspendingprevout', [
        { txid: coin.txid, vout: coin.vout },
      ])
      expect(spender).toEqual({ spendingtxid: replacement.id })
      const outputs = [[to.address, 1_000n]] as const
      const ofBoth = spend([coin, { owner: to, txid: replacement.id, vout: 0, amount: 500_000n }], { outputs })
      await expectRefused(ofBoth, /bad-txns-spends-conflicting-tx/)
    })

    test('behavior: what does not signal that it can be replaced is replaced too, but not by coins that wait for a block', async () => {
      const [coin, other] = [await fund(keyHash()), await fund(keyHash())]
      const outputs = [[keyHash().address, 900_000n]] as const
      const first = spend([coin], { outputs, sequence: 0xffffffff })
      await send(first)
      await expectRefused(spend([coin, other], { outputs }), /replacement-adds-unconfirmed/)
      const replacement = spend([coin], { outputs: [[keyHash().address, 800_000n]] })
      await send(replacement)
      expect(await mempool()).not.toContain(first.id)
      await expectRefused(first, /insufficient fee/)
    })

    test('behavior: the mempool’s sequence shows whether anything changed', async () => {
      const Sequenced = z.object({ txids: Hashes, mempool_sequence: z.number() })
      const read = () => call(Sequenced, 'getrawmempool', false, true)
      const before = await read()
      expect(await read()).toEqual(before)
      const { txid } = await fund(keyHash())
      const after = await read()
      expect(after.txids).toContain(txid)
      expect(after.mempool_sequence).toBeGreaterThan(before.mempool_sequence)
      const Entry = z.object({ fees: z.object({ base: Amount }), vsize: z.number(), ancestorcount: z.number(), depends: Hashes })
      expect(await call(Entry, 'getmempoolentry', txid)).toMatchObject({ ancestorcount: 1, depends: [] })
      expect(Object.keys(await call(z.record(z.string(), Entry), 'getrawmempool', true))).toContain(txid)
    })

    test('behavior: a block contains the chosen transactions and no others', async () => {
      const [coin, other] = [await fund(keyHash()), await fund(keyHash())]
      const unsent = spend([coin], { outputs: [[keyHash().address, 900_000n]] })
      const make = (...transactions: string[]) => call(z.object({ hash: Hash }), 'generateblock', taproot().address, transactions)
      const { hash } = await make(coin.txid, unsent.hex)
      expect((await call(Block, 'getblock', hash)).tx.slice(1)).toEqual([coin.txid, unsent.id])
      expect(await mempool()).toEqual([other.txid])
      expect((await call(Block, 'getblock', (await make()).hash)).tx).toHaveLength(1)
      expect(await refusal('generateblock', taproot().address, ['11'.repeat(32)])).toMatchObject({ code: -5 })
      expect(await refusal('generateblock', taproot().address, [unsent.hex])).toMatchObject({
        code: -25,
        message: expect.stringMatching(/TestBlockValidity failed/),
      })
    })

    test('behavior: a reorganisation returns transactions to the mempool, and the longer chain wins', async () => {
      await mine()
      const coin = await fund(keyHash())
      const child = spend([coin], { outputs: [[keyHash().address, 900_000n]] })
      await send(child)
      const fork = await tip()
      const [first, second] = [await mine(), await mine()]
      await call(z.null(), 'invalidateblock', first)
      expect(await tip()).toBe(fork)
      expect(new Set(await mempool())).toEqual(new Set([coin.txid, child.id]))
      expect(await call(z.object({ confirmations: z.number() }), 'getblockheader', second)).toEqual({ confirmations: -1 })

      const { hash: empty } = await call(z.object({ hash: Hash }), 'generateblock', keyHash().address, [])
      expect(await tip()).toBe(empty)
      await call(z.null(), 'reconsiderblock', first)
      expect(await tip()).toBe(second)
      expect(await mempool()).toEqual([])
      expect(await call(z.object({ confirmations: z.number() }), 'getblockheader', empty)).toEqual({ confirmations: -1 })
    })

    test('behavior: a double spend in another chain drops the payment and what depends on it', async () => {
      const coin = await fund(keyHash())
      await mine()
      const payment = spend([coin], { outputs: [[keyHash().address, 900_000n]] })
      const double = spend([coin], { outputs: [[keyHash().address, 800_000n]] })
      await send(payment)
      const block = await mine()
      await call(z.null(), 'invalidateblock', block)
      await call(z.unknown(), 'generateblock', keyHash().address, [double.hex])
      expect(await mempool()).toEqual([])
      expect(await refusal('getrawtransaction', payment.id)).toMatchObject({ code: -5 })
      expect(await refusal('sendrawtransaction', payment.hex)).toMatchObject({ code: -25 })
    })

    test('error: a block’s reward can be spent after 100 blocks and not before', async () => {
      const owner = keyHash()
      const [hash] = await call(Hashes, 'generatetoaddress', 1, owner.address)
      const RewardBlock = z.object({ tx: z.array(Decoded) })
      const [reward] = (await call(RewardBlock, 'getblock', hash, 2)).tx
      const coin = { owner, txid: reward!.txid, vout: 0, amount: reward!.vout[0]!.value }
      const transaction = spend([coin], { outputs: [[keyHash().address, coin.amount - 1_000n]] })
      await mine(98)
      await expectRefused(transaction, /bad-txns-premature-spend-of-coinbase/)
      await mine()
      expect(await send(transaction)).toBe(transaction.id)
      await mine()
    })

    test('behavior: raw blocks are real ones', async () => {
      await fund(taproot())
      const hash = await mine()
      const raw = Buffer.from(await call(z.string(), 'getblock', hash, 0), 'hex')
      const { tx } = await call(Block, 'getblock', hash, 1)
      const header = decodeHeader(raw)
      expect(hashOf(raw)).toBe(hash)
      expect(await call(z.string(), 'getblockheader', hash, false)).toBe(raw.subarray(0, 80).toString('hex'))
      const transactions = transactionsOf(raw)
      expect(transactions.map(({ txid }) => txid)).toEqual(tx)
      expect(header.merkleRoot).toBe(merkleRoot(tx))
      expect(transactions[0]!.outputs.at(-1)!.amount).toBe(0n)
      const described = await call(z.object({ tx: z.array(z.object({ hex: z.string() })) }), 'getblock', hash, 2)
      expect(described.tx.map(({ hex }) => hex)).toEqual(transactions.map(({ raw: bytes }) => Buffer.from(bytes).toString('hex')))
    })

    test('error: wrong calls have a real node’s codes', async () => {
      const wrong: [code: number, method: string, ...params: unknown[]][] = [
        [-32601, 'nosuchmethod'],
        [-1, 'getblockhash'],
        [-3, 'getblockhash', 'x'],
        [-8, 'getblockhash', 10_000_000],
        [-8, 'getblock', '00'],
        [-5, 'getblock', '11'.repeat(32)],
        [-5, 'getblockheader', '11'.repeat(32)],
        [-5, 'getrawtransaction', '11'.repeat(32)],
        [-22, 'sendrawtransaction', '00'],
        [-22, 'testmempoolaccept', ['zz']],
        [-5, 'generatetoaddress', 1, 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'],
        [-8, 'estimatesmartfee', 0],
        [-5, 'scantxoutset', 'start', ['addr(nowhere)']],
      ]
      for (const [code, method, ...params] of wrong) expect([method, await refusal(method, ...params)]).toMatchObject([method, { code }])
    })

    test('behavior: the estimate of fees says that there is none', async () => {
      const { feerate, errors } = await call(
        z.object({ feerate: Amount.optional(), errors: z.array(z.string()).optional() }),
        'estimatesmartfee',
        6,
      )
      expect(feerate === undefined ? errors?.length : feerate).toBeTruthy()
    })

    if (!restarts) return
    describe('with a folder', () => {
      let folder: string
      beforeAll(() => {
        folder = mkdtempSync(join(tmpdir(), 'till-bitcoin-'))
        return () => rmSync(folder, { recursive: true, force: true })
      })

      test('behavior: the chain and the mempool survive a stop, and the chain a kill', async () => {
        const Header = z.object({ height: z.number() })
        const read = async ({ rpc }: BitcoinNode) => {
          const hash = await rpc.call('getbestblockhash', [], Hash)
          const { height } = await rpc.call('getblockheader', [hash], Header)
          return { hash, height, waiting: await rpc.call('getrawmempool', [], Hashes) }
        }
        const stopAfter = <N extends BitcoinNode>(started: N): N => {
          onTestFinished(() => started.stop().catch(() => undefined))
          return started
        }
        const first = stopAfter(await restarts.start(folder))
        const txid = await (await createFaucet(first.rpc)).pay(keyHash().address, 1_000_000n)
        const before = await read(first)
        expect(before.waiting).toEqual([txid])
        await first.stop()

        const second = stopAfter(await restarts.startKillable(folder))
        expect(await read(second)).toEqual(before)
        await (await createFaucet(second.rpc)).mine(3)
        await second.kill()

        // A real node may lose blocks that it has not written yet, and continues on what it has.
        const third = stopAfter(await restarts.start(folder))
        expect((await read(third)).height).toBeGreaterThanOrEqual(before.height)
        const [next] = await (await createFaucet(third.rpc)).mine(1)
        expect((await read(third)).hash).toBe(next)
        await third.stop()
      })
    })
  })
}
