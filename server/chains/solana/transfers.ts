import type { SeenTransfer } from '../feed.ts'
import type { ChainId } from '../../../src/wire/chain.ts'
import type { Transaction } from './calls.ts'
import { mintOf, type SolanaToken } from './mints.ts'
import { tokenAccount } from './token-account.ts'

export interface TransferParts {
  readonly chainId: ChainId
  readonly tokens: readonly SolanaToken[]
  /** A transfer is final with so many confirmations. */
  readonly confirmations: number
}

type Unjudged = Omit<SeenTransfer, 'confirmations'>

/**
 * Reads from the balances before and after a transaction who has got what. An owner's money in a token counts only at the account which every
 * wallet derives for him, since payouts are made from there.
 */
export async function transfersOf({ chainId, tokens, confirmations }: TransferParts, found: Transaction): Promise<readonly Unjudged[]> {
  const { meta, slot, blockTime } = found
  if (meta.err !== undefined) return []
  const [signature] = found.transaction.signatures
  const accounts = accountsOf(found)
  const transfer = (account: string, to: string, token: string | null, amount: bigint): Unjudged => ({
    chainId,
    key: `${signature}:${account}`,
    txHash: signature!,
    token,
    to,
    amount,
    ...(typeof blockTime === 'number' && { seenAt: blockTime * 1_000 }),
    at: { height: slot, id: signature! },
    needed: confirmations,
  })
  // A token account has coins too, which are only its rent.
  const isOfToken = new Set([...(meta.preTokenBalances ?? []), ...(meta.postTokenBalances ?? [])].map(({ accountIndex }) => accountIndex))
  const transfers: Unjudged[] = accounts.flatMap((account, i) => {
    if (isOfToken.has(i)) return []
    const [before, after] = [meta.preBalances[i] ?? 0, meta.postBalances[i] ?? 0]
    return after > before && Number.isSafeInteger(after) ? [transfer(account, account, null, BigInt(after) - BigInt(before))] : []
  })
  for (const { accountIndex, mint: token, owner, uiTokenAmount } of meta.postTokenBalances ?? []) {
    const account = accounts[accountIndex]
    const mint = mintOf(tokens, token)
    if (account === undefined || owner === undefined || !mint) continue
    const before = meta.preTokenBalances?.find((balance) => balance.accountIndex === accountIndex)?.uiTokenAmount.amount ?? 0n
    const amount = uiTokenAmount.amount - before
    if (amount > 0n && account === (await tokenAccount(owner, mint))) transfers.push(transfer(account, owner, token, amount))
  }
  return transfers
}

function accountsOf({ transaction, meta }: Transaction): readonly string[] {
  const { writable = [], readonly = [] } = meta.loadedAddresses ?? {}
  return [...transaction.message.accountKeys, ...writable, ...readonly]
}

/** Returns what an account had after the transaction, in this token or in coins. */
export function balanceAfter(found: Transaction, account: string, token: string | null): bigint {
  const index = accountsOf(found).indexOf(account)
  if (token === null) return BigInt(found.meta.postBalances[index] ?? 0)
  return found.meta.postTokenBalances?.find(({ accountIndex }) => accountIndex === index)?.uiTokenAmount.amount ?? 0n
}
