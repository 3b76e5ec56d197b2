import type { Asset } from '../../../server/orders/model/asset.ts'

interface Leg {
  readonly to: string
  readonly amount: bigint
}

/**
 * A minimal chain that holds money, reorganises, converts, and moves money by the rules of TillFactory.sol. It knows nothing of orders. Strangers
 * move money by the same rules.
 */
export type Tx =
  | {
      readonly kind: 'transfer'
      readonly hash: string
      readonly to: string
      readonly asset: Asset
      readonly amount: bigint
      readonly isSilent: boolean
    }
  | {
      readonly kind: 'settle'
      readonly hash: string
      readonly from: string
      readonly isForeign: boolean
      readonly asset: Asset
      /** A conversion precedes the legs, too little output reverts it, and the recipient gets all of it but the fee. */
      readonly swap?: { readonly source: Asset; readonly amountIn: bigint; readonly minOut: bigint }
      readonly recipient: Leg
      readonly fee: Leg
      readonly caps: Caps
      readonly nonce?: string
    }
  /** The legs are independent. */
  | {
      readonly kind: 'refund'
      readonly hash: string
      readonly from: string
      readonly isForeign: boolean
      readonly asset: Asset
      readonly legs: readonly Leg[]
      /** What the guard has signed works once, whoever sends it. */
      readonly nonce: string
    }
  /** Sends all that there is. */
  | {
      readonly kind: 'release'
      readonly hash: string
      readonly from: string
      readonly isForeign: true
      readonly asset: Asset
      readonly to: string
    }

/** The highest fee is this share of what is moved, plus what is left of the flat sum. */
export interface Caps {
  readonly bps: bigint
  readonly flat: bigint
}

/** The state of the world when a block is mined. */
export interface Conditions {
  /** Recipients that reject money. */
  readonly refusing: ReadonlySet<string>
  /** How much of the output currency 1000 units convert to. */
  readonly price: bigint
}

/** The result of a transaction. An undone one had no effect. */
export type Result =
  | { readonly isUndone: true; readonly isAboveCap: boolean }
  | { readonly isUndone: false; readonly legs: readonly (Leg & { readonly isPaid: boolean })[]; readonly swapped: bigint }

interface Included extends Conditions {
  readonly tx: Tx
  readonly logIndex: number
}

interface ModelBlock {
  readonly number: number
  readonly hash: string
  readonly txs: readonly Included[]
}

export interface Sight {
  readonly tx: Extract<Tx, { kind: 'transfer' }>
  readonly key: string
  readonly block: ModelBlock
}

export function modelChain(chainId: number) {
  const blocks: ModelBlock[] = [{ number: 100, hash: `${chainId}-genesis`, txs: [] }]
  let mempool: Tx[] = []
  let made = 0
  /** Blocks up to this number cannot be reorganised because something in them was reported as final. */
  let final = 100

  const name = (holder: string, asset: Asset) => `${holder} ${asset.chainId} ${asset.address}`

  const execution = (upTo: number) => {
    const balances = new Map<string, bigint>()
    const results = new Map<string, Result>()
    const flatPaid = new Map<string, bigint>()
    const has = (holder: string, asset: Asset) => balances.get(name(holder, asset)) ?? 0n
    const add = (holder: string, asset: Asset, amount: bigint) => balances.set(name(holder, asset), has(holder, asset) + amount)
    const pay = (from: string, asset: Asset, { to, amount }: Leg, refusing: ReadonlySet<string>) => {
      const isPaid = has(from, asset) >= amount && !refusing.has(to)
      if (isPaid) {
        add(from, asset, -amount)
        add(`${to} from ${from}`, asset, amount)
      }
      return { to, amount, isPaid }
    }
    const settle = (tx: Extract<Tx, { kind: 'settle' }>, { refusing, price }: Conditions): Result => {
      const { from, asset, swap, fee, caps } = tx
      const swapped = swap ? (swap.amountIn * price) / 1000n : 0n
      if (swap && (has(from, swap.source) < swap.amountIn || swapped < swap.minOut)) return { isUndone: true, isAboveCap: false }
      const recipient = swap ? { ...tx.recipient, amount: swapped - fee.amount } : tx.recipient
      const isRecipientPayable = has(from, asset) + swapped >= recipient.amount && !refusing.has(recipient.to)
      const share = ((recipient.amount + fee.amount) * caps.bps) / 10_000n
      const flat = fee.amount > share ? fee.amount - share : 0n
      const flatBefore = flatPaid.get(name(from, asset)) ?? 0n
      if (isRecipientPayable && flatBefore + flat > caps.flat && flat > 0n) return { isUndone: true, isAboveCap: true }
      if (swap) {
        add(from, swap.source, -swap.amountIn)
        add(from, asset, swapped)
      }
      const first = pay(from, asset, recipient, refusing)
      if (fee.amount === 0n) return { isUndone: false, swapped, legs: [first] }
      const second = first.isPaid ? pay(from, asset, fee, refusing) : { ...fee, isPaid: false }
      if (second.isPaid) flatPaid.set(name(from, asset), flatBefore + flat)
      return { isUndone: false, swapped, legs: [first, second] }
    }
    const used = new Set<string>()
    const execute = (tx: Exclude<Tx, { kind: 'transfer' }>, conditions: Conditions): Result => {
      const nonce = tx.kind === 'release' ? undefined : tx.nonce
      if (nonce !== undefined && used.has(nonce)) return { isUndone: true, isAboveCap: false }
      if (nonce !== undefined) used.add(nonce)
      if (tx.kind === 'settle') return settle(tx, conditions)
      const legs = tx.kind === 'refund' ? tx.legs : [{ to: tx.to, amount: has(tx.from, tx.asset) }]
      return { isUndone: false, swapped: 0n, legs: legs.map((leg) => pay(tx.from, tx.asset, leg, conditions.refusing)) }
    }
    for (const block of blocks.filter((block) => block.number <= upTo)) {
      for (const included of block.txs) {
        const { tx } = included
        if (tx.kind === 'transfer') add(tx.to, tx.asset, tx.amount)
        else results.set(tx.hash, execute(tx, included))
      }
    }
    return { has, results, used }
  }

  /** Caches executions by the block at which they end. Its hash is never used again. */
  const executed = new Map<string, ReturnType<typeof execution>>()
  const run = (upTo: number) => {
    const { hash } = blocks.findLast(({ number }) => number <= upTo)!
    const known = executed.get(hash) ?? execution(upTo)
    executed.set(hash, known)
    return known
  }

  const head = () => blocks.at(-1)!
  const knows = (hash: string) =>
    mempool.some((queued) => queued.hash === hash) || blocks.some((block) => block.txs.some(({ tx }) => tx.hash === hash))
  return {
    chainId,
    blocks,
    head,
    /** A transaction with a known hash is ignored, as nodes do. */
    submit(tx: Tx) {
      if (!knows(tx.hash)) mempool.push(tx)
    },
    knows,
    isWaiting: () => mempool.length > 0,
    mine({ refusing, price }: Conditions, shift: number, most = Infinity) {
      made++
      const taken = mempool.slice(0, most)
      mempool = mempool.slice(taken.length)
      blocks.push({
        number: head().number + 1,
        hash: `${chainId}-${made}`,
        txs: taken.map((tx, index) => ({ tx, logIndex: index + shift, refusing: new Set(refusing), price })),
      })
    },
    /** Removes the last blocks. Unless `isLost`, what others sent returns to the mempool; what we sent always does. */
    reorg(depth: number, isLost: boolean) {
      const back = Math.max(final, head().number - depth)
      const gone = blocks.splice(blocks.findIndex((block) => block.number === back) + 1).flatMap((block) => block.txs.map(({ tx }) => tx))
      mempool.unshift(...gone.filter((tx) => !isLost || (tx.kind !== 'transfer' && !tx.isForeign)))
    },
    finalize(block: number) {
      final = Math.max(final, block)
    },
    at: (number: number) => blocks.find((block) => block.number === number),
    blockOf: (hash: string) => blocks.find((block) => block.txs.some(({ tx }) => tx.hash === hash)),
    result: (hash: string) => run(head().number).results.get(hash),
    isUsed: (nonce: string, upTo = head().number) => run(upTo).used.has(nonce),
    balance: (holder: string, asset: Asset, upTo = head().number) => run(upTo).has(holder, asset),
    /** Lists what strangers have moved from an address. */
    strangers: (from: string) =>
      blocks.flatMap((block) =>
        block.txs.flatMap(({ tx }) => (tx.kind !== 'transfer' && tx.isForeign && tx.from === from ? [{ tx, block }] : [])),
      ),
    /** Lists the transfers to an address that emitted a log. Silent ones show in the balance only. */
    sights: (to: string, from: number): Sight[] =>
      blocks
        .filter((block) => block.number >= from)
        .flatMap((block) =>
          block.txs.flatMap(({ tx, logIndex }) =>
            tx.kind === 'transfer' && tx.to === to && !tx.isSilent
              ? [{ tx, key: `${chainId}:${tx.hash}:${tx.asset.address === null ? -1 : logIndex}`, block }]
              : [],
          ),
        ),
  }
}

export type ModelChain = ReturnType<typeof modelChain>
