import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { Amount, BitcoinRpcError } from '../../local/bitcoin/bitcoin-rpc.ts'
import { connect, type BitcoinNode } from '../../local/bitcoin/find-bitcoind.ts'
import { startBitcoind } from '../../local/bitcoin/start-bitcoind.ts'
import { startBitcoinNode } from '../../local/bitcoin/start-bitcoin-node.ts'
import { full, seed } from '../support/full.ts'
import { createRandom } from '../support/random.ts'
import { keyHashAccount, spend, taprootAccount, type OwnedCoin } from '../support/wallets/bitcoin-wallet.ts'

const steps = full ? 2_000 : 150

/** Coins that some transaction or block made. They may be spent, replaced or reorganised away by now. */
interface World {
  readonly coins: OwnedCoin[]
  readonly blocks: string[]
}

/** Gives our node and a real one the same calls. Both must answer alike and stand on the same tip with the same mempool. */
export function bitcoinNodesAgree(program: string): void {
  describe(`our Bitcoin node and ${program}`, () => {
    let nodes: BitcoinNode[]
    beforeAll(async () => {
      nodes = [await connect(await startBitcoinNode()), await connect(await startBitcoind({ program }))]
    })
    afterAll(async () => {
      await Promise.all((nodes ?? []).map((node) => node.stop()))
    })

    /** Makes the same call to both and returns the answer, which has to be the same. Nodes of different releases call dust by different names. */
    async function both(method: string, ...params: unknown[]): Promise<unknown> {
      const [ours, theirs] = await Promise.all(
        nodes.map(({ rpc }) =>
          rpc.call(method, params, z.unknown()).catch((error: unknown) => {
            if (error instanceof BitcoinRpcError) return { code: error.code, message: error.message.replace('dust-nonanchor', 'dust') }
            throw error
          }),
        ),
      )
      expect(ours, `${method} ${JSON.stringify(params).slice(0, 400)}`).toEqual(theirs)
      return ours
    }

    const waitingOf = async (node: BitcoinNode) => node.rpc.call('getrawmempool', [], z.array(z.string()))

    async function compare(): Promise<string[]> {
      const [ours = [], theirs = []] = await Promise.all(nodes.map(waitingOf))
      expect(new Set(ours)).toEqual(new Set(theirs))
      await both('getbestblockhash')
      return ours
    }

    test('property: our node and a real one answer alike to random payments, replacements, blocks and reorganisations', async () => {
      const random = createRandom(seed)
      const owners = [keyHashAccount('a'), keyHashAccount('b'), taprootAccount('c'), taprootAccount('d')]
      const world: World = { coins: [], blocks: [] }
      let now = 1_700_000_000

      async function mine(transactions: readonly string[]): Promise<void> {
        const owner = random.pick(owners)
        const made = z.object({ hash: z.string() }).safeParse(await both('generateblock', owner.address, transactions))
        if (!made.success) return
        world.blocks.push(made.data.hash)
        const Described = z.object({ tx: z.array(z.object({ txid: z.string(), vout: z.array(z.object({ value: Amount })) })) })
        const { tx } = await nodes[0]!.rpc.call('getblock', [made.data.hash, 2], Described)
        const reward = { owner, txid: tx[0]!.txid, vout: 0, amount: tx[0]!.vout[0]!.value }
        // The rewards of the first blocks can be spent. Of the later ones a few are tried too early.
        if (world.blocks.length <= 40 || random.int(0, 9) === 0) world.coins.push(reward)
      }

      async function pay(): Promise<void> {
        const inputs = random.shuffled(world.coins.slice(random.int(0, 1) ? -30 : -200)).slice(0, random.int(1, 3))
        const total = inputs.reduce((sum, { amount }) => sum + amount, 0n)
        const paid = Array.from({ length: random.int(1, 3) }, () => ({
          owner: random.pick(owners),
          amount: random.int(0, 9) ? total / BigInt(random.int(2, 6)) : BigInt(random.int(0, 700)),
        }))
        const fee = BigInt(random.pick([0, 100, 200, 300, 500, 1_000, 2_000, 5_000, 20_000]))
        const rest = total - fee - paid.slice(1).reduce((sum, { amount }) => sum + amount, 0n)
        if (rest <= 0n) return
        const outputs = [{ ...paid[0]!, amount: rest }, ...paid.slice(1)]
        const transaction = spend(inputs, {
          outputs: outputs.map(({ owner, amount }) => [owner.address, amount]),
          sequence: random.pick([0xffffffff, 0xfffffffe, 0xfffffffd]),
          lockTime: random.int(0, 9) ? 0 : random.pick([world.blocks.length + random.int(-20, 0), now - random.int(0, 300)]),
        })
        const answer = await both('sendrawtransaction', transaction.hex)
        if (answer !== transaction.id && random.int(0, 19)) return
        // Most spent coins are forgotten. The others are spent again, which is a replacement or refused.
        for (const coin of inputs) if (random.int(0, 3)) world.coins.splice(world.coins.indexOf(coin), 1)
        for (const [vout, { owner, amount }] of outputs.entries()) world.coins.push({ owner, txid: transaction.id, vout, amount })
      }

      async function mineSome(): Promise<void> {
        const waiting = await compare()
        await mine(random.int(0, 3) ? waiting : random.shuffled(waiting).slice(0, 3))
      }

      /** Goes back some blocks, builds another chain and perhaps returns. A real node may abort at wilder orders. */
      async function reorganise(): Promise<void> {
        const depth = random.int(1, 3)
        const height = z.number().parse(await both('getblockcount'))
        const old = await both('getblockhash', height - depth + 1)
        await both('invalidateblock', old)
        for (let length = random.int(0, depth + 1); length > 0; length--) {
          await pay()
          await mineSome()
        }
        if (random.int(0, 1)) await both('reconsiderblock', old)
      }

      await both('setmocktime', now)
      for (let i = 0; i < 140; i++) await mine([])
      for (let step = 0; step < steps; step++) {
        await both('setmocktime', (now += random.int(1, 30)))
        const action = random.int(0, 19)
        if (action < 15) await pay()
        else await (action < 18 ? mineSome() : reorganise())
        const waiting = await compare()
        for (const txid of waiting.slice(0, 3)) {
          const Entry = z.object({
            vsize: z.number(),
            ancestorcount: z.number(),
            descendantsize: z.number(),
            fees: z.record(z.string(), z.number()),
          })
          const [ours, theirs] = await Promise.all(nodes.map(({ rpc }) => rpc.call('getmempoolentry', [txid], Entry)))
          expect(ours).toEqual(theirs)
        }
      }
      expect(await both('getblockcount')).toBeGreaterThan(100)
    }, 600_000)
  })
}
