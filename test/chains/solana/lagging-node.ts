import type { Ledger } from '../../../local/solana/ledger.ts'
import { answering } from '../../../local/solana/rpc/answer.ts'
import type { Answer, Call } from './node-proxy.ts'

/** Answers as a node that has not seen the last blocks. */
export function laggingNode(ledger: Ledger, blocks: number): (calls: readonly Call[]) => Promise<readonly Answer[]> {
  const tip: Ledger['tip'] = (commitment) => {
    let block = ledger.tip(commitment)
    for (let i = 0; i < blocks; i++) block = (block.parent && ledger.block(block.parent.slot)) ?? block
    return block
  }
  const isSeen = (slot: number) => slot <= tip('processed').slot
  const view: Ledger = {
    ...ledger,
    tip,
    account: (account, at) => ledger.account(account, typeof at === 'number' ? at : tip(at).slot),
    landed: (signature) => {
      const found = ledger.landed(signature)
      return found && isSeen(found.block.slot) ? found : undefined
    },
    block: (slot) => (isSeen(slot) ? ledger.block(slot) : undefined),
  }
  const answer = answering(view, {})
  return async (calls: readonly Call[]): Promise<readonly Answer[]> =>
    JSON.parse(await answer(JSON.stringify(calls.map((call) => ({ jsonrpc: '2.0', ...call }))))) as Answer[]
}
