import * as z from 'zod'
import type { Entry } from '../mempool.ts'
import type { Node } from '../node.ts'
import { incrementalRate, minRelayRate, mostMempoolBytes } from '../policy.ts'
import { outpoint } from '../transaction.ts'
import { codes, method, parseHash, RpcError } from './method.ts'

function describeEntry({ mempool }: Node, entry: Entry): object {
  const { transaction, fee, time, height, isUnbroadcast } = entry
  const above = [entry, ...mempool.ancestors(entry)]
  const below = [entry, ...mempool.descendants(entry)]
  const sizeOf = (entries: readonly Entry[]) => entries.reduce((sum, { transaction: { vsize } }) => sum + vsize, 0)
  const feesOf = (entries: readonly Entry[]) => entries.reduce((sum, { fee }) => sum + fee, 0n)
  return {
    vsize: transaction.vsize,
    weight: transaction.weight,
    time,
    height,
    descendantcount: below.length,
    descendantsize: sizeOf(below),
    ancestorcount: above.length,
    ancestorsize: sizeOf(above),
    wtxid: transaction.wtxid,
    fees: { base: fee, modified: fee, ancestor: feesOf(above), descendant: feesOf(below) },
    depends: mempool.parents(entry).map((parent) => parent.transaction.txid),
    spentby: mempool.children(entry).map((child) => child.transaction.txid),
    'bip125-replaceable': above.some(({ transaction: { inputs } }) => inputs.some(({ sequence }) => sequence < 0xfffffffe)),
    unbroadcast: isUnbroadcast,
  }
}

export const mempoolMethods = {
  getmempoolinfo: method({}, ({ mempool }) => {
    const entries = [...mempool.entries()]
    return {
      loaded: true,
      size: mempool.size(),
      bytes: mempool.vsize(),
      usage: mempool.vsize(),
      total_fee: entries.reduce((sum, { fee }) => sum + fee, 0n),
      maxmempool: mostMempoolBytes,
      mempoolminfee: minRelayRate,
      minrelaytxfee: minRelayRate,
      incrementalrelayfee: incrementalRate,
      unbroadcastcount: entries.filter(({ isUnbroadcast }) => isUnbroadcast).length,
      fullrbf: true,
    }
  }),
  getrawmempool: method(
    { verbose: z.boolean().default(false), mempool_sequence: z.boolean().default(false) },
    (node, { verbose, mempool_sequence }) => {
      const entries = [...node.mempool.entries()]
      const txids = entries.map(({ transaction }) => transaction.txid)
      if (verbose && mempool_sequence) throw new RpcError(codes.parameter, 'Verbose results cannot contain mempool sequence values.')
      if (mempool_sequence) return { txids, mempool_sequence: node.mempool.sequence() }
      return verbose ? Object.fromEntries(entries.map((entry) => [entry.transaction.txid, describeEntry(node, entry)])) : txids
    },
  ),
  getmempoolentry: method({ txid: z.string() }, (node, { txid }) => {
    const entry = node.mempool.get(parseHash(txid, 'txid'))
    if (!entry) throw new RpcError(codes.notFound, 'Transaction not in mempool')
    return describeEntry(node, entry)
  }),
  gettxspendingprevout: method({ outputs: z.array(z.object({ txid: z.string(), vout: z.int() })) }, ({ mempool }, { outputs }) => {
    if (outputs.length === 0) throw new RpcError(codes.parameter, 'Invalid parameter, outputs are missing')
    return outputs.map(({ txid, vout }) => {
      if (vout < 0) throw new RpcError(codes.parameter, 'Invalid parameter, vout cannot be negative')
      const spender = mempool.spender(outpoint({ txid: parseHash(txid, 'txid'), index: vout }))
      return { txid, vout, spendingtxid: spender?.transaction.txid }
    })
  }),
  /** As on any young regtest chain, no fees have been seen to estimate from. */
  estimatesmartfee: method(
    { conf_target: z.int(), estimate_mode: z.string().default('economical') },
    (_node, { conf_target, estimate_mode }) => {
      if (conf_target < 1 || conf_target > 1008) throw new RpcError(codes.parameter, 'Invalid conf_target, must be between 1 and 1008')
      if (!['unset', 'economical', 'conservative'].includes(estimate_mode.toLowerCase())) {
        const modes = '"unset", "economical", "conservative"'
        throw new RpcError(codes.parameter, `Invalid estimate_mode parameter, must be one of: ${modes}`)
      }
      return { errors: ['Insufficient data or no feerate found'], blocks: 0 }
    },
  ),
}
