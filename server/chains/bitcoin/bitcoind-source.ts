import * as z from 'zod'
import type { Block } from '../blocks/block.ts'
import { ChainUnavailable } from '../chain.ts'
import { ChainMisconfigured } from '../chain-misconfigured.ts'
import { checkedHeader, Hash, Height, Hex, isTransaction, outpointOf, refusalOf, requireTransaction } from './answers.ts'
import type { BitcoinConfig } from './bitcoin-config.ts'
import { codes, type NodeAnswer, type NodeCall, nodeRpc } from './node-rpc.ts'
import type { BitcoinSource, FoundTransaction } from './source.ts'

/** What a node calls its chain. */
const names: Readonly<Record<number, string>> = { 20000000000001: 'main', 20000000000101: 'testnet4', 20000000000102: 'signet' }

export const chainName = ({ chainId, network }: Pick<BitcoinConfig, 'chainId' | 'network'>): string | undefined =>
  network === 'local' ? 'regtest' : names[chainId]

/** A node without an index is asked for this many outputs of a transaction. One of them is usually unspent, which shows its block. */
const outputsAsked = 20

const Head = z.object({ chain: z.string(), blocks: Height, bestblockhash: Hash })
const HeaderHeight = z.object({ height: Height })
const UnspentOutput = z.object({ bestblock: Hash, confirmations: z.int().min(0) }).nullable()
const Spender = z.object({ spendingtxid: Hash.optional() })
/** Nodes write bitcoins with eight digits, and for every amount that exists `toFixed` restores them. */
const Rate = z
  .number()
  .min(0)
  .max(21_000_000)
  .transform((coins) => BigInt(coins.toFixed(8).replace('.', '')))
const Estimate = z.object({ feerate: Rate.optional() })
const MempoolInfo = z.object({ mempoolminfee: Rate, minrelaytxfee: Rate })

const call = <T>(answer: z.ZodType<T>, method: string, ...params: readonly unknown[]): NodeCall<T> => ({ method, params, answer })
const headCall = call(Head, 'getblockchaininfo')
const headerCall = (hash: string) => call(Hex, 'getblockheader', hash, false)
const hashCall = (height: number) => call(Hash, 'getblockhash', height)

export type BitcoindConfig = Pick<BitcoinConfig, 'chainId' | 'network' | 'timeoutMs'> & {
  readonly node: { readonly url: string; readonly auth: string | undefined }
}

/** Reads a node of one's own, which may be pruned and needs neither a wallet nor an index. */
export function bitcoindSource({ chainId, network, timeoutMs, node }: BitcoindConfig): BitcoinSource {
  const rpc = nodeRpc({ chainId, url: node.url, auth: node.auth, timeoutMs })

  /** An error with this code means that there is none, and any other one that the node cannot answer. */
  function valueOr<T>(answer: NodeAnswer<T> | undefined, code: number, method: string): T | undefined {
    if (answer && 'value' in answer) return answer.value
    if (answer?.error.code === code) return undefined
    const text = `${rpc.name} answered ${method} with error ${answer?.error.code} (${answer?.error.message}).`
    throw new ChainUnavailable(chainId, 'chain_unavailable', text)
  }

  async function header(hash: string, height: number, signal: AbortSignal): Promise<Block> {
    return checkedHeader(chainId, await rpc.read(headerCall(hash), signal), { hash, height, network }, rpc.name)
  }

  async function hashAt(height: number, signal: AbortSignal): Promise<string | undefined> {
    const [answer] = await rpc.attempt([hashCall(height)], signal)
    return valueOr(answer, codes.outOfRange, 'getblockhash')
  }

  async function transactions(txids: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, Uint8Array>> {
    const calls = txids.map((txid) => call(Hex, 'getrawtransaction', txid))
    const answers = await rpc.attempt(calls, signal)
    return new Map(
      txids.flatMap((txid, i): [string, Uint8Array][] => {
        const raw = valueOr(answers[i], codes.notFound, 'getrawtransaction')
        return raw && isTransaction(raw, txid) ? [[txid, raw]] : []
      }),
    )
  }

  /** An unspent output comes with the confirmations of its transaction, counted from a block that the node names. */
  async function findInBlock(txid: string, signal: AbortSignal): Promise<FoundTransaction | undefined> {
    const outputs = Array.from({ length: outputsAsked }, (_, vout) => call(UnspentOutput, 'gettxout', txid, vout, false))
    const answers = await rpc.attempt(outputs, signal)
    const unspent = answers.map((answer) => valueOr(answer, codes.notFound, 'gettxout')).find((output) => output)
    if (!unspent) return undefined
    const best = await rpc.read(call(HeaderHeight, 'getblockheader', unspent.bestblock), signal)
    const height = best.height - unspent.confirmations + 1
    const hash = height < 0 ? undefined : await hashAt(height, signal)
    if (hash === undefined) return undefined
    const raw = await rpc.read(call(Hex, 'getrawtransaction', txid, false, hash), signal)
    return { raw: requireTransaction(chainId, raw, txid, rpc.name), at: { height, hash } }
  }

  return {
    name: rpc.name,
    async check(signal) {
      const { chain } = await rpc.read(headCall, signal)
      const expected = chainName({ chainId, network })
      if (chain !== expected)
        throw new ChainMisconfigured(`The node ${rpc.name} of chain ${chainId} is on the chain "${chain}", and not on "${expected}".`)
    },
    async head(signal) {
      const { blocks, bestblockhash } = await rpc.read(headCall, signal)
      return header(bestblockhash, blocks, signal)
    },
    async block(height, signal) {
      const hash = await hashAt(height, signal)
      return hash === undefined ? undefined : header(hash, height, signal)
    },
    rawBlock: (hash, signal) => rpc.read(call(Hex, 'getblock', hash, 0), signal),
    waiting: async (signal) => new Set(await rpc.read(call(z.array(Hash), 'getrawmempool'), signal)),
    transactions,
    async spenders(outpoints, signal) {
      const found: (string | undefined)[] = []
      for (let start = 0; start < outpoints.length; start += 1_000) {
        const part = outpoints.slice(start, start + 1_000)
        const answer = await rpc.read(call(z.array(Spender).length(part.length), 'gettxspendingprevout', part.map(outpointOf)), signal)
        found.push(...answer.map(({ spendingtxid }) => spendingtxid))
      }
      return found
    },
    async find(txid, signal) {
      const raw = (await transactions([txid], signal)).get(txid)
      return raw ? { raw } : findInBlock(txid, signal)
    },
    async broadcast(raw, signal) {
      // What may be spent on fees is decided where transactions are planned, so the node's own limit is off.
      const [answer] = await rpc.attempt([call(Hash, 'sendrawtransaction', Buffer.from(raw).toString('hex'), 0)], signal)
      return answer && 'error' in answer ? refusalOf(answer.error) : undefined
    },
    async feeRates(signal) {
      const [estimate, info] = await Promise.all([
        rpc.read(call(Estimate, 'estimatesmartfee', 3), signal),
        rpc.read(call(MempoolInfo, 'getmempoolinfo'), signal),
      ])
      const { mempoolminfee, minrelaytxfee } = info
      return { usual: estimate.feerate, least: mempoolminfee > minrelaytxfee ? mempoolminfee : minrelaytxfee }
    },
  }
}
