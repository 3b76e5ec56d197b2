import * as z from 'zod'
import { transactionsOf } from '../block.ts'
import { fromHex, toHex } from '../bytes.ts'
import type { Coin } from '../chain.ts'
import { missing } from '../check-transaction.ts'
import { descriptorChecksum } from '../../../server/chains/bitcoin/descriptor.ts'
import { descriptorOf } from '../descriptor.ts'
import type { Node } from '../node.ts'
import { feeAt, rateOf } from '../policy.ts'
import { sentenceOf } from '../rejection.ts'
import { scriptOf } from '../script.ts'
import { decodeTransaction, outpoint, type Transaction } from '../transaction.ts'
import { findBlock } from './blocks.ts'
import { describeScript, describeTransaction, spentBy } from './describe.ts'
import { codes, method, parseAmount, parseHash, RpcError, Verbosity } from './method.ts'

const Amount = z.union([z.number(), z.string()])
const defaultMostRate = '0.10'

function decode(hex: string, where = '.'): Transaction {
  const bytes = fromHex(hex)
  const transaction = bytes && decodeTransaction(bytes)
  if (transaction) return transaction
  throw new RpcError(codes.deserialization, `TX decode failed${where} Make sure the tx has at least one input.`)
}

/** Returns the most that a transaction may pay. A rate of 0 allows everything. */
function mostFee(rate: number | string): (transaction: Transaction) => bigint | undefined {
  const most = parseAmount(rate)
  if (most >= 100_000_000n) throw new RpcError(codes.parameter, 'Fee rates larger than or equal to 1BTC/kvB are not accepted')
  return ({ vsize }) => (most === 0n ? undefined : feeAt(most, vsize))
}

export const transactionMethods = {
  getrawtransaction: method(
    { txid: z.string(), verbosity: Verbosity.default(0), blockhash: z.string().optional() },
    (node, { txid, verbosity, blockhash }) => {
      const id = parseHash(txid, 'parameter 1')
      if (blockhash === undefined) return describeWaiting(node, id, verbosity)
      const block = findBlock(node, blockhash, 'parameter 3', 'Block hash not found')
      const transactions = transactionsOf(block.raw)
      const transaction = transactions.find((candidate) => candidate.txid === id)
      if (!transaction) {
        const hint = 'Use gettransaction for wallet transactions.'
        throw new RpcError(codes.notFound, `No such transaction found in the provided block. ${hint}`)
      }
      if (verbosity <= 0) return toHex(transaction.raw)
      const isActive = node.chain.isActive(block)
      const coins = verbosity > 1 ? spentBy(block, transactions)(transaction) : undefined
      return {
        in_active_chain: isActive,
        ...describeTransaction(transaction, coins, true),
        blockhash: block.hash,
        confirmations: isActive ? node.chain.tip().height - block.height + 1 : 0,
        time: isActive ? block.header.time : undefined,
        blocktime: isActive ? block.header.time : undefined,
      }
    },
  ),
  gettxout: method(
    { txid: z.string(), n: z.int(), include_mempool: z.boolean().default(true) },
    ({ chain, mempool }, { txid, n, include_mempool }) => {
      const key = outpoint({ txid: parseHash(txid, 'txid'), index: n })
      const coin = include_mempool ? !mempool.spender(key) && mempool.coin(key) : chain.coin(key)
      if (!coin) return null
      const tip = chain.tip()
      return {
        bestblock: tip.hash,
        confirmations: tip.height - coin.height + 1,
        value: coin.amount,
        scriptPubKey: describeScript(coin.script),
        coinbase: coin.isCoinbase,
      }
    },
  ),
  testmempoolaccept: method(
    { rawtxs: z.array(z.string()), maxfeerate: Amount.default(defaultMostRate) },
    ({ mempool }, { rawtxs, maxfeerate }) => {
      const [hex] = rawtxs
      if (hex === undefined || rawtxs.length > 1)
        throw new RpcError(codes.parameter, 'Array must contain 1 transaction: this node tests no packages.')
      const transaction = decode(hex, `: ${hex}`)
      const most = mostFee(maxfeerate)(transaction)
      const { txid, wtxid, vsize } = transaction
      const result = mempool.check(transaction)
      if ('reason' in result) {
        const refused = { txid, wtxid, allowed: false }
        if (result.reason === missing) return [{ ...refused, 'reject-reason': 'missing-inputs' }]
        return [{ ...refused, 'reject-reason': result.reason, 'reject-details': sentenceOf(result) }]
      }
      const { fee } = result.entry
      if (most !== undefined && fee > most) return [{ txid, wtxid, allowed: false, 'reject-reason': 'max-fee-exceeded' }]
      const fees = { base: fee, 'effective-feerate': rateOf(fee, vsize), 'effective-includes': [wtxid] }
      return [{ txid, wtxid, allowed: true, vsize, fees }]
    },
  ),
  sendrawtransaction: method({ hexstring: z.string(), maxfeerate: Amount.default(defaultMostRate) }, (node, { hexstring, maxfeerate }) => {
    const { chain, mempool } = node
    const transaction = decode(hexstring)
    const most = mostFee(maxfeerate)(transaction)
    const { txid } = transaction
    if (transaction.outputs.some((_, index) => chain.coin(outpoint({ txid, index }))))
      throw new RpcError(codes.alreadyKnown, 'Transaction outputs already in utxo set')
    if (mempool.get(txid)) return txid
    const result = mempool.check(transaction)
    if ('reason' in result) {
      if (result.reason === missing) throw new RpcError(codes.verify, missing)
      throw new RpcError(codes.rejected, sentenceOf(result))
    }
    if (most !== undefined && result.entry.fee > most)
      throw new RpcError(codes.verify, 'Fee exceeds maximum configured by user (e.g. -maxtxfee, maxfeerate)')
    node.add(result)
    return txid
  }),
  scantxoutset: method(
    { action: z.string(), scanobjects: z.array(z.union([z.string(), z.object({ desc: z.string() })])).optional() },
    ({ chain }, { action, scanobjects }) => {
      if (action === 'status') return null
      if (action === 'abort') return false
      if (action !== 'start') throw new RpcError(codes.parameter, `Invalid action '${action}'`)
      if (!scanobjects) throw new RpcError(codes.usage, 'scanobjects argument is required for the start action')
      const wanted = new Set(scanobjects.map((object) => toHex(readDescriptor(typeof object === 'string' ? object : object.desc))))
      const tip = chain.tip()
      const found = [...chain.coins()].filter(([, { script }]) => wanted.has(toHex(script)))
      return {
        success: true,
        txouts: chain.coinCount(),
        height: tip.height,
        bestblock: tip.hash,
        unspents: found.map(([key, coin]) => ({ ...describeCoin(key, coin), ...depthOf(coin) })),
        total_amount: found.reduce((sum, [, { amount }]) => sum + amount, 0n),
      }
      function depthOf({ height }: Coin): object {
        return { height, blockhash: chain.at(height)!.hash, confirmations: tip.height - height + 1 }
      }
    },
  ),
}

function describeWaiting({ mempool }: Node, txid: string, verbosity: number): unknown {
  const entry = mempool.get(txid)
  if (!entry) {
    const hint =
      'Use -txindex or provide a block hash to enable blockchain transaction queries. Use gettransaction for wallet transactions.'
    throw new RpcError(codes.notFound, `No such mempool transaction. ${hint}`)
  }
  return verbosity <= 0 ? toHex(entry.transaction.raw) : describeTransaction(entry.transaction)
}

function describeCoin(key: string, { amount, script, isCoinbase }: Coin): object {
  const [txid, index] = key.split(':')
  return { txid, vout: Number(index), scriptPubKey: toHex(script), desc: descriptorOf(script), amount, coinbase: isCoinbase }
}

/** Only descriptors of a single address are read. */
function readDescriptor(text: string): Uint8Array {
  const [body = '', checksum] = text.split('#')
  const address = /^addr\((.*)\)$/.exec(body)?.[1]
  if (address === undefined) throw new RpcError(codes.notFound, `'${body}' is not a descriptor that this node knows: use addr(…)`)
  const script = scriptOf(address)
  if (!script) throw new RpcError(codes.notFound, 'Address is not valid')
  const computed = descriptorChecksum(body)
  if (checksum !== undefined && checksum !== computed)
    throw new RpcError(codes.notFound, `Provided checksum '${checksum}' does not match computed checksum '${computed}'`)
  return script
}
