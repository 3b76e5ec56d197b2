import type { Chain, NodeAnswer, Receipt } from '../chains/chain.ts'

/** For so long a second node that does not answer counts as one that disagrees. */
export const unreachableForMs = 600_000
/** Waiting for an answer holds up the queue, so a node that did not answer is asked again only after this time. */
const askAgainMs = 30_000

/** 'unreachable' waits for the second node, and 'skipped' was confirmed by one node because the second stayed away. */
export type SecondNodeAnswer = NodeAnswer | 'unreachable' | 'skipped'

export interface SecondNodeParts {
  readonly compare: NonNullable<Chain['compareNodes']>
  /** Without the second node everything waits, however long it stays away. */
  readonly isRequired: boolean
  readonly clock: () => number
  /** Called once for each receipt and answer, and again when the answer changes. */
  readonly onAnswer: (receipt: Receipt, answer: SecondNodeAnswer) => void
}

/** Returns the hashes of the final receipts that two nodes agree on, or one node once the second has been away for too long. */
export type Agreed = (receipts: readonly Receipt[], signal: AbortSignal) => Promise<ReadonlySet<string>>

interface Outage {
  readonly since: number
  readonly last: number
}

/**
 * Nothing is final on the word of one node. Receipts wait while nodes disagree or one is behind, and for ten minutes while it is silent.
 * An outage that nobody has looked at for ten minutes starts over: in between, the node may have been there.
 */
export function secondNode({ compare, isRequired, clock, onAnswer }: SecondNodeParts): Agreed {
  let outage: Outage | undefined
  let answered = new Map<string, SecondNodeAnswer>()
  return async (receipts, signal) => {
    const keyOf = ({ txHash, blockHash }: Receipt) => `${txHash} ${blockHash}`
    answered = new Map(receipts.flatMap((receipt) => entryOf(answered, keyOf(receipt))))
    if (receipts.length === 0 || (outage && clock() < outage.last + askAgainMs)) return new Set()
    const { nodes, answers } = await compare(receipts, signal)
    outage = nodes < 2 ? continued(outage, clock()) : undefined
    const isTooLong = outage !== undefined && !isRequired && outage.last - outage.since >= unreachableForMs
    const agreed = new Set<string>()
    for (const [i, receipt] of receipts.entries()) {
      const answer = answers[i] !== 'agrees' ? (answers[i] ?? 'behind') : !outage ? 'agrees' : isTooLong ? 'skipped' : 'unreachable'
      if (answer === 'agrees' || answer === 'skipped') agreed.add(receipt.txHash)
      if (answered.get(keyOf(receipt)) === answer) continue
      answered.set(keyOf(receipt), answer)
      onAnswer(receipt, answer)
    }
    return agreed
  }
}

const continued = (outage: Outage | undefined, now: number): Outage =>
  outage && now - outage.last <= unreachableForMs ? { since: outage.since, last: now } : { since: now, last: now }

function entryOf<V>(map: ReadonlyMap<string, V>, key: string): [string, V][] {
  const value = map.get(key)
  return value === undefined ? [] : [[key, value]]
}
