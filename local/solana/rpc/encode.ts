import { getBase58Decoder, type EncodedAccount } from '@solana/kit'
import type { Balances, Block, Commitment, Landed, Ledger } from '../ledger.ts'
import { tokenBalance, type TokenBalance } from '../token-balance.ts'

const base58 = getBase58Decoder()
/** Accounts have paid their rent once and for all, which is this epoch. */
const rentExempt = 18_446_744_073_709_551_615n

export type AccountEncoding = 'base64' | 'jsonParsed'

export function accountJson(
  account: EncodedAccount | undefined,
  encoding: AccountEncoding,
  ledger: Ledger,
  slice?: { offset: number; length: number },
) {
  if (!account) return null
  const { lamports, programAddress, executable, data } = account
  const held = encoding === 'jsonParsed' ? tokenBalance(account, (mint) => ledger.account(mint, 'processed')) : undefined
  const bytes = slice ? data.slice(slice.offset, slice.offset + slice.length) : data
  return {
    lamports,
    owner: programAddress,
    executable,
    rentEpoch: rentExempt,
    space: data.length,
    data: held
      ? { program: 'spl-token', parsed: { type: 'account', info: tokenAccountJson(held) }, space: data.length }
      : [base64(bytes), 'base64'],
  }
}

const tokenAccountJson = (balance: TokenBalance) => ({
  isNative: false,
  mint: balance.mint,
  owner: balance.owner,
  state: 'initialized',
  tokenAmount: uiAmount(balance),
})

export function uiAmount({ amount, decimals }: Pick<TokenBalance, 'amount' | 'decimals'>) {
  const digits = amount.toString().padStart(decimals + 1, '0')
  const [whole, fraction] = [digits.slice(0, digits.length - decimals), digits.slice(digits.length - decimals).replace(/0+$/, '')]
  const text = fraction ? `${whole}.${fraction}` : whole
  return { amount: amount.toString(), decimals, uiAmount: Number(text), uiAmountString: text }
}

const tokensJson = ({ tokens }: Balances) =>
  tokens.flatMap((balance, accountIndex) =>
    balance
      ? [{ accountIndex, mint: balance.mint, owner: balance.owner, programId: balance.programId, uiTokenAmount: uiAmount(balance) }]
      : [],
  )

const errorJson = (error: Landed['error']) => error ?? null
const statusJson = (error: Landed['error']) => (error === undefined ? { Ok: null } : { Err: error })

export function metaJson({ error, fee, logs, units, inner, before, after }: Landed) {
  return {
    err: errorJson(error),
    status: statusJson(error),
    fee,
    computeUnitsConsumed: units,
    logMessages: logs,
    innerInstructions: inner.flatMap((list, index) =>
      list.length === 0
        ? []
        : [
            {
              index,
              instructions: list.map((each) => ({
                programIdIndex: each.instruction().programIdIndex(),
                accounts: [...each.instruction().accounts()],
                data: base58.decode(each.instruction().data()),
                stackHeight: each.stackHeight(),
              })),
            },
          ],
    ),
    preBalances: before.lamports,
    postBalances: after.lamports,
    preTokenBalances: tokensJson(before),
    postTokenBalances: tokensJson(after),
    loadedAddresses: { readonly: [], writable: [] },
    rewards: [],
  }
}

export type TransactionEncoding = 'base64' | 'json'

export function transactionJson({ wire }: Landed, encoding: TransactionEncoding) {
  if (encoding === 'base64') return [base64(wire.bytes), 'base64']
  const { header, staticAccounts, lifetimeToken, instructions } = wire.message
  return {
    signatures: Object.values(wire.transaction.signatures).map((signature) => (signature ? base58.decode(signature) : '')),
    message: {
      header: {
        numRequiredSignatures: header.numSignerAccounts,
        numReadonlySignedAccounts: header.numReadonlySignerAccounts,
        numReadonlyUnsignedAccounts: header.numReadonlyNonSignerAccounts,
      },
      accountKeys: staticAccounts,
      recentBlockhash: lifetimeToken,
      instructions: instructions.map(({ programAddressIndex, accountIndices, data }) => ({
        programIdIndex: programAddressIndex,
        accounts: accountIndices ?? [],
        data: base58.decode(data ?? new Uint8Array()),
        stackHeight: 1,
      })),
    },
  }
}

export const versionOf = ({ wire }: Landed): 0 | 'legacy' => (wire.message.version === 0 ? 0 : 'legacy')

const ranks: Readonly<Record<Commitment, number>> = { processed: 0, confirmed: 1, finalized: 2 }

export function commitmentOf(ledger: Ledger, { slot }: Pick<Block, 'slot'>): Commitment {
  if (slot <= ledger.tip('finalized').slot) return 'finalized'
  return slot <= ledger.tip('confirmed').slot ? 'confirmed' : 'processed'
}

export const hasReached = (ledger: Ledger, { block }: Pick<Landed, 'block'>, commitment: Commitment): boolean =>
  ranks[commitmentOf(ledger, block)] >= ranks[commitment]

export function signatureStatus(ledger: Ledger, found: Landed | undefined) {
  if (!found) return null
  const { block, error } = found
  const confirmationStatus = commitmentOf(ledger, block)
  const confirmations = confirmationStatus === 'finalized' ? null : ledger.tip('processed').height - block.height
  return { slot: block.slot, confirmations, err: errorJson(error), status: statusJson(error), confirmationStatus }
}

const base64 = (bytes: Uint8Array | { readonly length: number }): string => Buffer.from(bytes as Uint8Array).toString('base64')
