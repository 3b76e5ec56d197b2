import { createSolanaRpc, isSolanaError, SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SLOT_SKIPPED } from '@solana/kit'
import { forEachConcurrently } from '../../../server/lib/for-each-concurrently.ts'

/** A transaction of the chain as a node reports it. */
export interface IncludedTransaction {
  readonly signature: string
  /** The first of its accounts pays the fee. */
  readonly payer: string
  readonly fee: bigint
  /** One that failed has paid its fee and changed nothing else. */
  readonly hasFailed: boolean
  /** What it has changed in lamports and tokens, except for the rent. */
  readonly changes: readonly BalanceChange[]
  /** Lamports of token accounts, which are their rent. Null stands for lamports. */
  readonly rent: readonly BalanceChange[]
}

export interface BalanceChange {
  readonly account: string
  /** The owner of a token account, or the account itself. */
  readonly owner: string
  readonly token: string | null
  /** What it had afterwards, less what it had before. */
  readonly amount: bigint
}

const requestsAtOnce = 8

/** Reads all transactions of the chain from whole blocks alone, so that it relies on nothing that the service has derived. */
export async function solanaHistory(url: string): Promise<readonly IncludedTransaction[]> {
  const rpc = createSolanaRpc(url)
  const last = await rpc.getSlot({ commitment: 'confirmed' }).send()
  const slots = await rpc.getBlocks(0n, last, { commitment: 'confirmed' }).send()
  const found = new Map<bigint, readonly IncludedTransaction[]>()
  await forEachConcurrently(requestsAtOnce, slots, async (slot) => {
    const block = await rpc
      .getBlock(slot, {
        commitment: 'confirmed',
        encoding: 'json',
        transactionDetails: 'full',
        maxSupportedTransactionVersion: 0,
        rewards: false,
      })
      .send()
      .catch(nothingIfForgotten)
    found.set(slot, block?.transactions.map(includedOf) ?? [])
  })
  return slots.flatMap((slot) => found.get(slot) ?? [])
}

/** The node of local mode forgets blocks that are old and empty, also while the others are read. */
function nothingIfForgotten(error: unknown): undefined {
  if (!isSolanaError(error, SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SLOT_SKIPPED)) throw error
}

interface TokenBalance {
  readonly accountIndex: number
  readonly mint: string
  readonly owner?: string
  readonly uiTokenAmount: { readonly amount: string }
}

interface Reported {
  readonly transaction: { readonly signatures: readonly string[]; readonly message: { readonly accountKeys: readonly string[] } }
  readonly meta: {
    readonly err: unknown
    readonly fee: bigint
    readonly preBalances: readonly bigint[]
    readonly postBalances: readonly bigint[]
    readonly preTokenBalances?: readonly TokenBalance[]
    readonly postTokenBalances?: readonly TokenBalance[]
  } | null
}

function includedOf({ transaction, meta }: Reported): IncludedTransaction {
  const [signature] = transaction.signatures
  const accounts = transaction.message.accountKeys
  if (!meta || signature === undefined || accounts[0] === undefined) throw new Error('a block has a transaction without a result')
  const { preTokenBalances = [], postTokenBalances = [] } = meta
  const tokenAccounts = new Map([...preTokenBalances, ...postTokenBalances].map((balance) => [balance.accountIndex, balance]))
  const held = (balances: readonly TokenBalance[], index: number) =>
    BigInt(balances.find(({ accountIndex }) => accountIndex === index)?.uiTokenAmount.amount ?? 0)
  const lamports = accounts.map((account, index) => ({
    account,
    owner: tokenAccounts.get(index)?.owner ?? account,
    token: null,
    amount: (meta.postBalances[index] ?? 0n) - (meta.preBalances[index] ?? 0n),
  }))
  const tokens = [...tokenAccounts].map(([index, { mint, owner }]) => ({
    account: accounts[index] ?? '',
    owner: owner ?? '',
    token: mint,
    amount: held(postTokenBalances, index) - held(preTokenBalances, index),
  }))
  return {
    signature,
    payer: accounts[0],
    fee: BigInt(meta.fee),
    hasFailed: meta.err !== null,
    changes: [...lamports.filter((_, index) => !tokenAccounts.has(index)), ...tokens].filter(({ amount }) => amount !== 0n),
    rent: lamports.filter(({ amount }, index) => tokenAccounts.has(index) && amount !== 0n),
  }
}
