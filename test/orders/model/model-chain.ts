import type { Asset } from '../../../server/orders/model/asset.ts'

/** A minimal chain that holds money, reorganises, converts and pays legs one by one. It knows nothing of orders. */
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
      readonly kind: 'send'
      readonly hash: string
      readonly from: string
      readonly asset: Asset
      /** The conversion precedes the legs, and too little output reverts the transaction. */
      readonly swap?: { readonly source: Asset; readonly amountIn: bigint; readonly minOut: bigint }
      readonly legs: readonly { readonly to: string; readonly amount: bigint }[]
    }

/** The state of the world when a block is mined. */
export interface Conditions {
  /** Recipients that reject money. */
  readonly refusing: ReadonlySet<string>
  /** How much of the output currency 1000 units convert to. */
  readonly price: bigint
}

/** The result of a transaction. An undone one had no effect. */
export type Result = { readonly isUndone: true } | { readonly isUndone: false; readonly paid: readonly boolean[]; readonly swapped: bigint }

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

  const run = (upTo: number) => {
    const balances = new Map<string, bigint>()
    const results = new Map<string, Result>()
    const has = (holder: string, asset: Asset) => balances.get(name(holder, asset)) ?? 0n
    const add = (holder: string, asset: Asset, amount: bigint) => balances.set(name(holder, asset), has(holder, asset) + amount)
    const execute = (tx: Extract<Tx, { kind: 'send' }>, { refusing, price }: Conditions): Result => {
      const { from, asset, swap } = tx
      const swapped = swap ? (swap.amountIn * price) / 1000n : 0n
      if (swap) {
        if (has(from, swap.source) < swap.amountIn || swapped < swap.minOut) return { isUndone: true }
        add(from, swap.source, -swap.amountIn)
        add(from, asset, swapped)
      }
      const paid = tx.legs.map(({ to, amount }) => {
        if (has(from, asset) < amount || refusing.has(to)) return false
        add(from, asset, -amount)
        add(`${to} from ${from}`, asset, amount)
        return true
      })
      return { isUndone: false, paid, swapped }
    }
    for (const block of blocks.filter((block) => block.number <= upTo)) {
      for (const included of block.txs) {
        const { tx } = included
        if (tx.kind === 'transfer') add(tx.to, tx.asset, tx.amount)
        else results.set(tx.hash, execute(tx, included))
      }
    }
    return { has, results }
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
    /** Removes the last blocks. Unless `isLost`, their transfers return to the mempool; sends always do. */
    reorg(depth: number, isLost: boolean) {
      const back = Math.max(final, head().number - depth)
      const gone = blocks.splice(blocks.findIndex((block) => block.number === back) + 1).flatMap((block) => block.txs.map(({ tx }) => tx))
      mempool.unshift(...gone.filter((tx) => !isLost || tx.kind === 'send'))
    },
    finalize(block: number) {
      final = Math.max(final, block)
    },
    at: (number: number) => blocks.find((block) => block.number === number),
    blockOf: (hash: string) => blocks.find((block) => block.txs.some(({ tx }) => tx.hash === hash)),
    result: (hash: string) => run(head().number).results.get(hash),
    balance: (holder: string, asset: Asset, upTo = head().number) => run(upTo).has(holder, asset),
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
