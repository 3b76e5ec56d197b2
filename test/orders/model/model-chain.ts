import type { Asset } from '../../../server/orders/model/asset.ts'

/** The simplest chain that can hold money, lose blocks, convert and pay legs one by one. It knows nothing of orders. */
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
      /** Converted before the legs are paid; all is undone where it gives less than it must. */
      readonly swap?: { readonly source: Asset; readonly amountIn: bigint; readonly minOut: bigint }
      readonly legs: readonly { readonly to: string; readonly amount: bigint }[]
    }

/** What a block finds when it is made. */
export interface Conditions {
  /** Who takes no money. */
  readonly refusing: ReadonlySet<string>
  /** What a thousand of anything converts into. */
  readonly price: bigint
}

/** What came of a transaction; undone: nothing of it happened. */
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
  /** Nothing at or below it can be undone: something there was told to be final. */
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
    /** The same bytes again are the same transaction. */
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
    /** The last blocks are gone; what was in them may be mined again, or never. */
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
    /** Money at an address that left a trace: what is silent shows in the balance only. */
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
