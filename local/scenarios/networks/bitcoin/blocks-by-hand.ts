import * as z from 'zod'
import type { LocalBitcoin } from '../../../bitcoin/start-local-bitcoin.ts'
import { CannotPlay } from '../../cannot-play.ts'
import type { Blocks } from '../network.ts'

const Block = z.object({ tx: z.array(z.string()) })
const Waiting = z.record(z.string(), z.object({ ancestorcount: z.number(), depends: z.array(z.string()) }))

export function blocksByHand<T>({ rpc, faucet, mutex }: LocalBitcoin, run: (blocks: Blocks) => Promise<T>): Promise<T> {
  /** Transactions that the next blocks leave out. */
  const withheld = new Set<string>()

  /** Lists what waits, parents before their children, without what is withheld and what spends it. */
  async function chosen(): Promise<string[]> {
    const waiting = await rpc.call('getrawmempool', [true], Waiting)
    const sorted = Object.entries(waiting).toSorted(([, a], [, b]) => a.ancestorcount - b.ancestorcount)
    const left = new Set(withheld)
    for (const [txid, { depends }] of sorted) if (depends.some((parent) => left.has(parent))) left.add(txid)
    return sorted.map(([txid]) => txid).filter((txid) => !left.has(txid))
  }

  const mine = async () => void (await rpc.call('generateblock', [faucet.address, await chosen()], z.object({ hash: z.string() })))

  return mutex(() =>
    run({
      keepsRemoved: true,
      mine,
      async removeTransaction(hash) {
        const tip = await rpc.call('getbestblockhash', [], z.string())
        const { tx } = await rpc.call('getblock', [tip, 1], Block)
        if (!tx.includes(hash)) throw new CannotPlay('The transfer is not in the newest block.')
        await rpc.call('invalidateblock', [tip], z.null())
        withheld.add(hash)
        await mine()
      },
      // It still waits in the mempool.
      async rebroadcast() {
        withheld.clear()
      },
    }),
  )
}
