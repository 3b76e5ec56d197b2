import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { bitcoinPayouts } from '../../server/chains/bitcoin/payouts/bitcoin-payouts.ts'
import type { BitcoinSource } from '../../server/chains/bitcoin/source.ts'
import { orderKey } from '../../server/chains/bitcoin/order-key.ts'
import { orderScript } from '../../server/chains/bitcoin/order-script.ts'
import type { Payout, Payouts, Report } from '../../server/chains/payouts.ts'
import { testAccount } from '../chains/bitcoin/support.ts'
import { type Reported, run, statesOf } from '../contracts/payouts.ts'
import { bitcoinNodes, type NodeToTest, recordNodes } from '../support/service/bitcoin-nodes.ts'
import { keyHashAccount, type OwnedCoin, spend, taprootAccount } from '../support/wallets/bitcoin-wallet.ts'
import { until } from '../support/wait.ts'
import { type BitcoinGround, needed, prepareBitcoin } from './bitcoin-support.ts'

const merchant = taprootAccount('merchant').address
const collector = keyHashAccount('collector').address
const payer = keyHashAccount('payer')

const { recorded, say } = recordNodes()
afterAll(() => say('The sends, reorganisations and double spends of Bitcoin'))

for (const { name, start } of bitcoinNodes) sendsOn(`Bitcoin sends on ${name}`, start)

function sendsOn(name: string, start: NodeToTest['start']): void {
  describe(name, () => {
    let ground: BitcoinGround
    const stops: (() => Promise<void>)[] = []
    let count = 0

    beforeAll(async () => {
      ground = await prepareBitcoin(() => recorded(start()))
    })
    afterAll(() => ground?.stop())
    afterEach(async () => {
      ground.whenRemoved(async () => {})
      await Promise.all(stops.splice(0).map((stop) => stop()))
    })

    function process(more: Partial<BitcoinGround['config']> = {}, source: Partial<BitcoinSource> = {}) {
      const payouts = bitcoinPayouts({ config: { ...ground.config, ...more }, source: { ...ground.source, ...source } })
      const running = run(payouts, { sql: ground.sql })
      stops.push(running.stop)
      return { payouts, ...running }
    }

    /** Puts money at the address of a new order, and returns its settlement. */
    async function settlement(amount: bigint, fee: bigint, more: Partial<Payout> = {}): Promise<Payout> {
      const orderId = `order-${++count}`
      await ground.faucet.pay(ground.depositOf(orderId), amount)
      return settlementOf(orderId, amount, fee, more)
    }
    const settlementOf = (orderId: string, amount: bigint, fee: bigint, more: Partial<Payout> = {}): Payout => ({
      id: `${orderId}:s1`,
      orderId,
      token: null,
      legs: [
        { to: merchant, amount: amount - fee },
        { to: collector, amount: fee, paysNetwork: true },
      ],
      purpose: { kind: 'settlement', orderId, ref: 's1' },
      ...more,
    })

    /** The payer pays from a coin that he can spend otherwise. */
    async function settlementOfPayer(amount: bigint, fee: bigint): Promise<{ payout: Payout; coin: OwnedCoin; txid: string }> {
      const orderId = `order-${++count}`
      const txid = await ground.faucet.pay(payer.address, amount + 10_000n)
      await ground.mine(1)
      const Found = z.object({ unspents: z.array(z.object({ txid: z.string(), vout: z.number() })) })
      const { unspents } = await ground.node.rpc.call('scantxoutset', ['start', [`addr(${payer.address})`]], Found)
      const coin: OwnedCoin = {
        owner: payer,
        txid,
        vout: unspents.find((unspent) => unspent.txid === txid)!.vout,
        amount: amount + 10_000n,
      }
      const payment = spend([coin], { outputs: [[ground.depositOf(orderId), amount]] })
      await send(payment.hex)
      return { payout: settlementOf(orderId, amount, fee), coin, txid: payment.id }
    }
    const send = (hex: string) => ground.node.rpc.call('sendrawtransaction', [hex, 0], z.string())
    const enqueue = async (payouts: Payouts, ...queued: readonly Payout[]) => {
      for (const payout of queued) await payouts.enqueue(ground.sql, payout)
    }
    /** Leaves nothing in the queue that a later test's process would pay. */
    async function isPaid(reports: readonly Reported[], { id }: Payout): Promise<void> {
      await until(() => statesOf(reports, id).includes('broadcast'))
      await ground.mine(needed)
      await until(() => statesOf(reports, id).includes('confirmed'))
    }
    const attempts = async (txid: string) => {
      const [row] = await ground.sql`select fee, vsize from bitcoin_attempts where txid = ${txid}`
      return { fee: BigInt(row?.fee ?? 0), vsize: BigInt(row?.vsize ?? 0) }
    }

    test('default: ten settlements of a tenant that wait together are one transaction of less than 80 virtual bytes each', async () => {
      const queued: Payout[] = []
      for (let i = 0; i < 10; i++) queued.push(await settlement(100_000n, 3_000n, { tenant: 'shop' }))
      const alone = await settlement(100_000n, 3_000n)
      await ground.mine(needed)
      const before = await ground.balance(merchant)
      const all = [...queued, alone]
      await enqueue(bitcoinPayouts(ground), ...all)
      const { reports } = process()
      await until(() => all.every(({ id }) => statesOf(reports, id).includes('broadcast')))
      await ground.mine(needed)
      await until(() => all.every(({ id }) => statesOf(reports, id).includes('confirmed')))
      const hashOf = ({ id }: Payout) =>
        reports.flatMap((report) => (report.id === id && report.outcome.state === 'confirmed' ? [report.outcome.txHash] : []))
      expect(new Set(queued.flatMap(hashOf)).size).toBe(1)
      const [batch, single] = [await attempts(hashOf(queued[0]!)[0]!), await attempts(hashOf(alone)[0]!)]
      console.log(`vbytes per settled order: ${single.vsize} alone, ${Number(batch.vsize) / 10} in a batch of 10`)
      expect(batch.vsize / 10n).toBeLessThan(80n)
      expect((await ground.balance(merchant)) - before).toBe(11n * 97_000n)
      const fees = reports.flatMap(({ outcome }) => (outcome.state === 'confirmed' ? [outcome.fee] : []))
      expect(fees.reduce((sum, fee) => sum + fee, 0n)).toBe(batch.fee + single.fee)
    })

    test('behavior: a fee that rises twentyfold is paid as far as the fees go, and then the settlement waits', async () => {
      const payout = await settlement(500_000n, 5_000n)
      await ground.mine(needed)
      let usual = 2_000n
      const feeRates = async () => ({ usual, least: 1_000n })
      const { payouts, reports } = process({ replaceAfterMs: 50 }, { feeRates })
      await enqueue(payouts, payout)
      await until(() => statesOf(reports, payout.id).includes('broadcast'))
      usual = 40_000n
      const hashes = () => reports.flatMap(({ outcome }) => (outcome.state === 'broadcast' ? [outcome.txHash] : []))
      await until(async () => (await attempts(hashes().at(-1)!)).fee > 4_000n)
      const paid = await attempts(hashes().at(-1)!)
      expect(paid.fee).toBeLessThanOrEqual(5_000n)
      const before = await ground.balance(merchant)
      await ground.mine(needed)
      await until(() => statesOf(reports, payout.id).includes('confirmed'))
      expect((await ground.balance(merchant)) - before).toBe(495_000n)
      expect(reports.at(-1)?.outcome).toMatchObject({ networkFee: expect.any(BigInt), paid: [true, true] })
    })

    test('behavior: a settlement that has waited long for its coins is looked at again soon, because a block makes them final', async () => {
      const payout = await settlement(100_000n, 3_000n)
      await ground.mine(needed - 1)
      await enqueue(bitcoinPayouts(ground), payout)
      // A process that is killed again and again tries many times before the feed has caught up.
      await ground.sql`update bitcoin_payouts set failures = 20 where id = ${payout.id}`
      const { reports } = process()
      const postponed = async () =>
        (
          await ground.sql<{ seconds: number }[]>`
            select extract(epoch from not_before - clock_timestamp())::float8 as seconds from bitcoin_payouts
            where id = ${payout.id} and failures > 20`
        )[0]
      expect((await until(postponed)).seconds).toBeLessThanOrEqual(30)
      await ground.mine(1)
      await ground.sql`update bitcoin_payouts set not_before = now() where id = ${payout.id}`
      await isPaid(reports, payout)
    })

    test('behavior: full mempools delay a settlement, and one that no fee of its own can ever pay has failed', async () => {
      const [waiting, hopeless] = [await settlement(100_000n, 1_000n), await settlement(100_000n, 50n)]
      await ground.mine(needed)
      let least = 30_000n
      const { payouts, reports } = process({}, { feeRates: async () => ({ usual: 30_000n, least }) })
      await enqueue(payouts, waiting, hopeless)
      await until(() => statesOf(reports, hopeless.id).includes('failed'))
      expect(reports).toMatchObject([{ id: hopeless.id, outcome: { cause: 'gas' } }])
      least = 1_000n
      await until(() => statesOf(reports, waiting.id).includes('broadcast'))
      expect((await payouts.metrics(ground.sql)).oldestUnmined).toBeDefined()
      await isPaid(reports, waiting)
    })

    test('behavior: strangers’ dust at the address costs nothing and stays there', async () => {
      const orderId = `order-${++count}`
      const address = ground.depositOf(orderId)
      for (const amount of [100_000n, 400n, 500n]) await ground.faucet.pay(address, amount)
      await ground.mine(needed)
      const payout = settlementOf(orderId, 100_000n, 3_000n)
      const { payouts, reports } = process()
      await enqueue(payouts, payout)
      await until(() => statesOf(reports, payout.id).includes('broadcast'))
      await ground.mine(needed)
      await until(() => statesOf(reports, payout.id).includes('confirmed'))
      expect(await ground.balance(address)).toBe(900n)
    })

    test('behavior: a surplus stays at the address, and a refund sends it on', async () => {
      const orderId = `order-${++count}`
      await ground.faucet.pay(ground.depositOf(orderId), 150_000n)
      await ground.mine(needed)
      const first = settlementOf(orderId, 100_000n, 3_000n)
      const refund: Payout = {
        ...settlementOf(orderId, 50_000n, 2_000n),
        id: `${orderId}:r1`,
        legs: [
          { to: payer.address, amount: 48_000n },
          { to: collector, amount: 2_000n, paysNetwork: true },
        ],
      }
      const before = await ground.balance(payer.address)
      const { payouts, reports } = process()
      // The refund is enqueued while the settlement still holds the only coin, and waits for what it leaves.
      await enqueue(payouts, first, refund)
      await until(() => statesOf(reports, first.id).includes('broadcast'))
      await ground.mine(needed)
      await until(() => statesOf(reports, refund.id).includes('broadcast'))
      await ground.mine(needed)
      await until(() => statesOf(reports, refund.id).includes('confirmed'))
      expect((await ground.balance(payer.address)) - before).toBe(48_000n)
      expect(await ground.balance(ground.depositOf(orderId))).toBe(0n)
    })

    test('behavior: a double spend after the settlement was signed makes it fail once it is final, and the others of its transaction are paid once', async () => {
      const { payout, coin } = await settlementOfPayer(80_000n, 4_000n)
      await ground.mine(needed)
      const orderId = `order-${++count}`
      const txid = await ground.faucet.pay(ground.depositOf(orderId), 90_000n)
      const raw = await ground.node.rpc.call('getrawtransaction', [txid], z.string())
      const other = settlementOf(orderId, 90_000n, 4_000n)
      await ground.mine(needed)
      const { payouts, reports } = process()
      const before = await ground.balance(merchant)
      await enqueue(payouts, { ...payout, tenant: 'shop' }, { ...other, tenant: 'shop' })
      await until(() => [payout, other].every(({ id }) => statesOf(reports, id).includes('broadcast')))
      // The payer's own transaction disappears with its blocks, and another one takes its coin.
      const theft = spend([coin], { outputs: [[keyHashAccount('thief').address, coin.amount - 50_000n]] })
      await ground.reorg(2 * needed, [theft.hex])
      // A real node forgets a payment whose coin was a reward that was not mature for a moment. Its wallet broadcasts it again.
      await send(raw)
      await ground.mine(8)
      await until(() => statesOf(reports, payout.id).includes('failed'))
      expect(reports.find(({ id, outcome }) => id === payout.id && outcome.state === 'failed')?.outcome).toMatchObject({
        cause: 'reverts',
        reason: expect.stringContaining('has replaced the payment'),
      })
      await until(async () => {
        await ground.mine(1)
        return statesOf(reports, other.id).includes('confirmed')
      })
      expect((await ground.balance(merchant)) - before).toBe(86_000n)
    })

    test('behavior: a payment that a reorganisation has removed holds up no other, and is passed on once it is included again', async () => {
      const { payout } = await settlementOfPayer(80_000n, 6_000n)
      await ground.mine(needed)
      const mates: Payout[] = []
      const payments: string[] = []
      for (let i = 0; i < 2; i++) {
        const orderId = `order-${++count}`
        const txid = await ground.faucet.pay(ground.depositOf(orderId), 90_000n)
        payments.push(await ground.node.rpc.call('getrawtransaction', [txid], z.string()))
        mates.push(settlementOf(orderId, 90_000n, 6_000n, { tenant: 'shop' }))
      }
      await ground.mine(needed)
      const before = await ground.balance(merchant)
      await enqueue(bitcoinPayouts(ground), { ...payout, tenant: 'shop' }, ...mates)
      const { reports } = process()
      const hashes = ({ id }: Payout) =>
        reports.flatMap((report) => (report.id === id && report.outcome.state === 'broadcast' ? [report.outcome.txHash] : []))
      await until(() => mates.every((mate) => hashes(mate).length === 1))
      expect(hashes(mates[0]!)).toEqual(hashes(payout))
      // The new blocks include the payments of the others, and leave out the first one.
      await ground.reorg(2 * needed, payments)
      await ground.mineEmpty(3)
      await until(() => mates.every((mate) => hashes(mate).length === 2))
      expect(statesOf(reports, payout.id)).toEqual(['broadcast'])
      await ground.mine(needed)
      await until(async () => {
        await ground.mine(1)
        return [payout, ...mates].every(({ id }) => statesOf(reports, id).includes('confirmed'))
      })
      expect((await ground.balance(merchant)) - before).toBe(74_000n + 2n * 84_000n)
    })

    test('behavior: money that somebody with the key has moved is not paid again, and says so', async () => {
      const payout = await settlement(70_000n, 4_000n)
      await ground.mine(needed)
      const { txid, vout } = (
        await ground.sql`select txid, vout from bitcoin_coins where address = ${ground.depositOf(payout.orderId)}`
      )[0]!
      const { script } = orderScript(testAccount, payout.orderId, 'local')
      const owner = { address: '', script, privateKey: orderKey(testAccount, payout.orderId).privateKey! }
      const broadcast: BitcoinSource['broadcast'] = async () => ({ why: 'missing_inputs', message: 'not now' })
      const { payouts, reports } = process({}, { broadcast })
      await enqueue(payouts, payout)
      await until(async () => (await ground.sql`select from bitcoin_attempts where payouts @> array[${payout.id}]`).length > 0)
      await send(spend([{ owner, txid, vout, amount: 70_000n }], { outputs: [[payer.address, 65_000n]] }).hex)
      await ground.mine(4)
      await until(async () => {
        await ground.mine(1)
        return statesOf(reports, payout.id).includes('failed')
      })
      expect(reports.at(-1)?.outcome).toMatchObject({ reason: expect.stringContaining('Somebody else') })
    })

    test('behavior: a reorganisation of three undoes a final settlement, which is broadcast again and pays once', async () => {
      const payout = await settlement(60_000n, 4_000n)
      await ground.mine(needed)
      const { payouts, reports } = process()
      const log = { warn: () => undefined, error: () => undefined }
      const reopened: unknown[] = []
      const report: Report = async (_, { id }, outcome) => void reopened.push([id, outcome])
      const ports = { sql: ground.sql, log, report }
      ground.whenRemoved(async (last) => void (await payouts.reopen(ports, AbortSignal.timeout(60_000), last)))
      const before = await ground.balance(merchant)
      await enqueue(payouts, payout)
      await until(() => statesOf(reports, payout.id).includes('broadcast'))
      await ground.mine(3)
      await until(() => statesOf(reports, payout.id).includes('confirmed'))
      await ground.reorg(3)
      expect(reopened).toMatchObject([[payout.id, { state: 'unmined' }]])
      expect(await ground.balance(merchant)).toBe(before)
      await ground.mine(needed)
      await until(() => statesOf(reports, payout.id).filter((state) => state === 'confirmed').length === 2)
      expect((await ground.balance(merchant)) - before).toBe(56_000n)
      expect(await payouts.reopen(ports, AbortSignal.timeout(60_000))).toBe(true)
    })
  })
}
