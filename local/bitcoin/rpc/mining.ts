import * as z from 'zod'
import { hashOf } from '../block.ts'
import { fromHex, toHex } from '../bytes.ts'
import type { Node } from '../node.ts'
import { sentenceOf } from '../rejection.ts'
import { scriptOf } from '../script.ts'
import { decodeTransaction, type Transaction } from '../transaction.ts'
import { codes, method, RpcError } from './method.ts'

function rewardScript(address: string): Uint8Array {
  const script = scriptOf(address)
  if (!script) throw new RpcError(codes.notFound, 'Error: Invalid address')
  return script
}

/** The same block can be made again within a second, for example after it was invalidated, and is then refused. */
function submit(node: Node, block: Uint8Array): string {
  const hash = node.submit(block)
  if (hash === undefined) throw new RpcError(codes.internal, 'ProcessNewBlock, block not accepted')
  return hash
}

export const miningMethods = {
  generatetoaddress: method({ nblocks: z.int(), address: z.string(), maxtries: z.int().optional() }, (node, { nblocks, address }) => {
    const script = rewardScript(address)
    return Array.from({ length: Math.max(nblocks, 0) }, () => submit(node, node.assembleBest(script)))
  }),
  generateblock: method(
    { output: z.string(), transactions: z.array(z.string()), submit: z.boolean().default(true) },
    (node, { output, transactions, submit: isSubmitted }) => {
      const block = node.assemble(
        rewardScript(output),
        transactions.map((text) => chosen(node, text)),
      )
      const rejection = node.chain.check(block)
      if (rejection) throw new RpcError(codes.verify, `TestBlockValidity failed: ${sentenceOf(rejection)}`)
      if (isSubmitted) return { hash: submit(node, block) }
      return { hash: hashOf(block), hex: toHex(block) }
    },
  ),
}

/** A transaction is named by its hash if it waits in the mempool, and is otherwise given whole. */
function chosen({ mempool }: Node, text: string): Transaction {
  const bytes = fromHex(text)
  if (bytes?.length === 32) {
    const entry = mempool.get(text.toLowerCase())
    if (entry) return entry.transaction
    throw new RpcError(codes.notFound, `Transaction ${text} not in mempool.`)
  }
  const transaction = bytes && decodeTransaction(bytes)
  if (transaction) return transaction
  throw new RpcError(codes.deserialization, `Transaction decode failed for ${text}. Make sure the tx has at least one input.`)
}
