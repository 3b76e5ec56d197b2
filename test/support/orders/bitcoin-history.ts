import * as z from 'zod'
import { Amount, type BitcoinRpc } from '../../../local/bitcoin/bitcoin-rpc.ts'

/** A transaction of the chain as a node reports it. */
export interface MinedTransaction {
  readonly txid: string
  /** The outputs that it spends, as `txid:vout`. */
  readonly spends: readonly string[]
  readonly outputs: readonly MinedOutput[]
}

export interface MinedOutput {
  readonly key: string
  /** It is absent if the script has none. */
  readonly address: string | undefined
  readonly amount: bigint
}

const Block = z.object({
  tx: z.array(
    z.object({
      txid: z.string(),
      vin: z.array(z.object({ txid: z.string().optional(), vout: z.number().optional() })),
      vout: z.array(z.object({ n: z.number(), value: Amount, scriptPubKey: z.object({ address: z.string().optional() }) })),
    }),
  ),
})

/** Reads all transactions of the chain from whole blocks alone, so that it relies on nothing that the service has derived. */
export async function bitcoinHistory(rpc: BitcoinRpc): Promise<readonly MinedTransaction[]> {
  const height = await rpc.call('getblockcount', [], z.number())
  const transactions: MinedTransaction[] = []
  for (let number = 1; number <= height; number++) {
    const hash = await rpc.call('getblockhash', [number], z.string())
    const { tx } = await rpc.call('getblock', [hash, 2], Block)
    for (const { txid, vin, vout } of tx)
      transactions.push({
        txid,
        spends: vin.flatMap((input) => (input.txid === undefined ? [] : [`${input.txid}:${input.vout}`])),
        outputs: vout.map(({ n, value, scriptPubKey: { address } }) => ({ key: `${txid}:${n}`, address, amount: value })),
      })
  }
  return transactions
}
