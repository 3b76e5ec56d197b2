import { ChainUnavailable } from './chain.ts'

/** For so long a second node that does not answer counts as one that disagrees. */
export const unreachableForMs = 600_000
/** Waiting for an answer holds up the queue, so a node that did not answer is asked again only after this time. */
const askAgainMs = 30_000

/** A node that is behind does not know the transaction's block yet. One that differs has another block, or another outcome. */
export type NodeAnswer = 'agrees' | 'differs' | 'behind'

export interface NodeComparison {
  /** So many different nodes answered: one or two. */
  readonly nodes: number
  /** For each transaction, in order, this is what those nodes say together: they agree only if each of them does. */
  readonly answers: readonly NodeAnswer[]
}

/** Asks two nodes about mined transactions. It rejects (ChainUnavailable) only if no node answers. */
export type CompareNodes<T> = (transactions: readonly T[], signal: AbortSignal) => Promise<NodeComparison>

/** Returns what one node says about each transaction, in order. */
export type AskNode<N, T> = (node: N, transactions: readonly T[], signal: AbortSignal) => Promise<readonly NodeAnswer[]>

/**
 * Asks the first two nodes that answer, and puts those that do not at the end of the line. Each node has to stand for one server: behind a list of URLs
 * nobody knows which one answered, and it would agree with itself.
 */
export function compareTwo<N, T>(chainId: number, nodes: readonly N[], ask: AskNode<N, T>): CompareNodes<T> {
  let inOrder = nodes
  return async (transactions, signal) => {
    const found: (readonly NodeAnswer[])[] = []
    for (const node of inOrder) {
      if (found.length === 2) break
      try {
        found.push(await ask(node, transactions, signal))
      } catch (error) {
        signal.throwIfAborted()
        if (!(error instanceof ChainUnavailable)) throw error
        inOrder = [...inOrder.filter((other) => other !== node), node]
      }
    }
    if (found.length === 0) throw new ChainUnavailable(chainId, 'chain_unavailable', 'no node answered for a final block.')
    return { nodes: found.length, answers: transactions.map((_, i) => together(found.flatMap((answers) => answers[i] ?? []))) }
  }
}

const together = (answers: readonly NodeAnswer[]): NodeAnswer =>
  answers.includes('differs') ? 'differs' : answers.includes('behind') ? 'behind' : 'agrees'

export interface MinedTransaction {
  readonly txHash: string
  readonly blockHash: string
}

/** 'unreachable' waits for the second node, and 'skipped' was confirmed by one node because the second stayed away. */
export const secondNodeAnswers = ['agrees', 'differs', 'behind', 'unreachable', 'skipped'] as const
export type SecondNodeAnswer = (typeof secondNodeAnswers)[number]

export interface SecondNodePorts {
  /** What two nodes say about a final transaction. Anything but 'agrees' deserves a log line, since an order waits or has not been checked. */
  readonly onSecondNode?: (transaction: { readonly txHash: string; readonly position: number }, answer: SecondNodeAnswer) => void
  /** A monotonic clock measures how long a second node has not answered. */
  readonly clock?: () => number
}

export interface SecondNodeParts<T> {
  readonly compare: CompareNodes<T>
  /** Without the second node everything waits, however long it stays away. */
  readonly isRequired: boolean
  readonly clock: () => number
  /** Called once for each transaction and answer, and again when the answer changes. */
  readonly onAnswer: (transaction: T, answer: SecondNodeAnswer) => void
}

/** Returns the hashes of the final transactions that two nodes agree on, or one node once the second has been away for too long. */
export type Agreed<T> = (transactions: readonly T[], signal: AbortSignal) => Promise<ReadonlySet<string>>

interface Outage {
  readonly since: number
  readonly last: number
}

/**
 * Nothing is final on the word of one node. Transactions wait while nodes disagree or one is behind, and for ten minutes while it is silent.
 * An outage that nobody has looked at for ten minutes starts over: in between, the node may have been there.
 */
export function secondNode<T extends MinedTransaction>({ compare, isRequired, clock, onAnswer }: SecondNodeParts<T>): Agreed<T> {
  let outage: Outage | undefined
  let answered = new Map<string, SecondNodeAnswer>()
  return async (transactions, signal) => {
    const keyOf = ({ txHash, blockHash }: T) => `${txHash} ${blockHash}`
    answered = new Map(transactions.flatMap((transaction) => entryOf(answered, keyOf(transaction))))
    if (transactions.length === 0 || (outage && clock() < outage.last + askAgainMs)) return new Set()
    const { nodes, answers } = await compare(transactions, signal)
    outage = nodes < 2 ? continued(outage, clock()) : undefined
    const isTooLong = outage !== undefined && !isRequired && outage.last - outage.since >= unreachableForMs
    const agreed = new Set<string>()
    for (const [i, transaction] of transactions.entries()) {
      const answer = answers[i] !== 'agrees' ? (answers[i] ?? 'behind') : !outage ? 'agrees' : isTooLong ? 'skipped' : 'unreachable'
      if (answer === 'agrees' || answer === 'skipped') agreed.add(transaction.txHash)
      if (answered.get(keyOf(transaction)) === answer) continue
      answered.set(keyOf(transaction), answer)
      onAnswer(transaction, answer)
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
