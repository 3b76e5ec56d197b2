import * as z from 'zod'
import { toHex } from '../bytes.ts'
import { medianTime, type Block } from '../chain.ts'
import type { Node } from '../node.ts'
import { describeBlock, describeHeader, hardness, rawHeader, workOf } from './describe.ts'
import { codes, method, parseHash, RpcError, Verbosity } from './method.ts'

export function findBlock({ chain }: Node, text: string, name = 'blockhash', absent = 'Block not found'): Block {
  const block = chain.find(parseHash(text, name))
  if (!block) throw new RpcError(codes.notFound, absent)
  return block
}

export const blockMethods = {
  getblockchaininfo: method({}, (node) => {
    const { chain } = node
    const tip = chain.tip()
    return {
      chain: 'regtest',
      blocks: tip.height,
      headers: tip.height,
      bestblockhash: tip.hash,
      ...hardness,
      time: tip.header.time,
      mediantime: medianTime(tip),
      verificationprogress: 1,
      initialblockdownload: node.isBehind(),
      chainwork: workOf(tip),
      size_on_disk: chain.size(),
      pruned: false,
      warnings: [],
    }
  }),
  getblockcount: method({}, ({ chain }) => chain.tip().height),
  getbestblockhash: method({}, ({ chain }) => chain.tip().hash),
  getblockhash: method({ height: z.int() }, ({ chain }, { height }) => {
    const block = chain.at(height)
    if (!block) throw new RpcError(codes.parameter, 'Block height out of range')
    return block.hash
  }),
  getblockheader: method({ blockhash: z.string(), verbose: z.boolean().default(true) }, (node, { blockhash, verbose }) => {
    const block = findBlock(node, blockhash, 'hash')
    return verbose ? describeHeader(node.chain, block) : rawHeader(block)
  }),
  getblock: method({ blockhash: z.string(), verbosity: Verbosity.default(1) }, (node, { blockhash, verbosity }) => {
    const block = findBlock(node, blockhash)
    return verbosity <= 0 ? toHex(block.raw) : describeBlock(node.chain, block, verbosity)
  }),
  invalidateblock: method({ blockhash: z.string() }, (node, { blockhash }) => {
    const block = findBlock(node, blockhash)
    if (!block.parent) throw new RpcError(codes.parameter, 'The first block of the chain cannot be invalidated')
    node.invalidate(block)
    return null
  }),
  reconsiderblock: method({ blockhash: z.string() }, (node, { blockhash }) => {
    node.reconsider(findBlock(node, blockhash))
    return null
  }),
}
