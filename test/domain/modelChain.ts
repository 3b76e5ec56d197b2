import type { Asset } from '../../server/domain/asset.ts'

/** The simplest chain that can hold money, lose blocks, and pay legs one by one. It knows nothing of orders. */
export type Tx =
  | { readonly kind: 'transfer'; readonly hash: string; readonly asset: Asset; readonly amount: bigint; readonly isSilent: boolean }
  | {
      readonly kind: 'send'
      readonly hash: string
      readonly asset: Asset
      readonly legs: readonly { readonly to: string; readonly amount: bigint }[]
    }

interface Included {
  readonly tx: Tx
  readonly logIndex: number
  /** Who takes no money while this block is made. */
  readonly refusing: ReadonlySet<string>
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

export const modelChain = (chainId: number) => {
  const blocks: ModelBlock[] = [{ number: 100, hash: `${chainId}-genesis`, txs: [] }]
  let mempool: Tx[] = []
  let made = 0
  /** Nothing at or below it can be undone: something there was told to be final. */
  let final = 100

  const name = (asset: Asset) => `${asset.chainId} ${asset.address}`

  const run = (upTo: number) => {
    const balances = new Map<string, bigint>()
    const paid = new Map<string, boolean[]>()
    const received = new Map<string, bigint>()
    for (const block of blocks.filter((one) => one.number <= upTo)) {
      for (const { tx, refusing } of block.txs) {
        const key = name(tx.asset)
        if (tx.kind === 'transfer') {
          balances.set(key, (balances.get(key) ?? 0n) + tx.amount)
          continue
        }
        const legs = tx.legs.map(({ to, amount }) => {
          const has = balances.get(key) ?? 0n
          if (has < amount || refusing.has(to)) return false
          balances.set(key, has - amount)
          received.set(to, (received.get(to) ?? 0n) + amount)
          return true
        })
        paid.set(tx.hash, legs)
      }
    }
    return { balances, paid, received }
  }

  const head = () => blocks.at(-1)!
  return {
    chainId,
    blocks,
    head,
    submit(tx: Tx) {
      mempool.push(tx)
    },
    isWaiting: () => mempool.length > 0,
    mine(refusing: ReadonlySet<string>, shift: number, most = Infinity) {
      made++
      const taken = mempool.slice(0, most)
      mempool = mempool.slice(taken.length)
      blocks.push({
        number: head().number + 1,
        hash: `${chainId}-${made}`,
        txs: taken.map((tx, index) => ({ tx, logIndex: index + shift, refusing: new Set(refusing) })),
      })
    },
    /** The last blocks are gone; what was in them may be mined again, or never. */
    reorg(depth: number, isLost: boolean) {
      const back = Math.max(final, head().number - depth)
      const gone = blocks.splice(blocks.findIndex((one) => one.number === back) + 1).flatMap((one) => one.txs.map(({ tx }) => tx))
      mempool.unshift(...gone.filter((tx) => !isLost || tx.kind === 'send'))
    },
    finalize(block: number) {
      final = Math.max(final, block)
    },
    at: (number: number) => blocks.find((one) => one.number === number),
    blockOf: (hash: string) => blocks.find((one) => one.txs.some(({ tx }) => tx.hash === hash)),
    paid: (hash: string) => run(head().number).paid.get(hash),
    balance: (asset: Asset, upTo = head().number) => run(upTo).balances.get(name(asset)) ?? 0n,
    receivedBy: (address: string) => run(head().number).received.get(address) ?? 0n,
    /** Money that left a trace: what is silent shows in the balance only. */
    sights: (from: number): Sight[] =>
      blocks
        .filter((block) => block.number >= from)
        .flatMap((block) =>
          block.txs.flatMap(({ tx, logIndex }) =>
            tx.kind === 'transfer' && !tx.isSilent
              ? [{ tx, key: `${chainId}:${tx.hash}:${tx.asset.address === null ? -1 : logIndex}`, block }]
              : [],
          ),
        ),
  }
}

export type ModelChain = ReturnType<typeof modelChain>
