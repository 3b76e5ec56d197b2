import { type Address, isAddress, isBlockhash, isSignature } from '@solana/kit'
import * as z from 'zod'
import type { SolanaCall } from './rpc-client.ts'

const call = <T>(answer: z.ZodType<T>, method: string, ...params: readonly unknown[]): SolanaCall<T> => ({ method, params, answer })
const inContext = <T extends z.ZodType>(value: T) => z.object({ context: z.object({ slot: z.int() }), value })

const AddressText = z.string().refine(isAddress)
const SignatureText = z.string().refine(isSignature)
const Units = z
  .string()
  .regex(/^\d{1,20}$/)
  .transform(BigInt)
/** Some accounts have more lamports than a double holds exactly, and none of ours ever will. */
const Lamports = z.number().min(0)
const Failure = z.unknown().transform((error) => (error === null || error === undefined ? undefined : error))

export type Commitment = 'confirmed' | 'finalized'

export const slotCall = (commitment: Commitment) => call(z.int(), 'getSlot', { commitment })

/** The amount of a token account follows its mint and its owner. */
const amountSlice = { offset: 64, length: 8 }
const Account = z.object({ lamports: Lamports, data: z.tuple([z.base64(), z.literal('base64')]) }).nullable()
export type Account = z.output<typeof Account>
export const mostAccounts = 100

/** Anybody can send coins to the address of an account that nobody has opened. */
export const isTokenAccount = (account: Account): boolean => account !== null && account.data[0] !== ''

/** Nodes read up to a hundred accounts at once. A node that has not seen the slot yet answers with an error. */
export const accountsCall = (accounts: readonly string[], minContextSlot: number) =>
  call(inContext(z.array(Account).length(accounts.length)), 'getMultipleAccounts', accounts, {
    commitment: 'confirmed',
    encoding: 'base64',
    dataSlice: amountSlice,
    minContextSlot,
  })

const MintAccount = z.object({ owner: AddressText, data: z.tuple([z.base64(), z.literal('base64')]) })
export type MintAccount = z.output<typeof MintAccount>

/** Reads each of them as a whole, since extensions may be at its end. */
export const mintsCall = (mints: readonly string[]) =>
  call(inContext(z.array(MintAccount.nullable()).length(mints.length)), 'getMultipleAccounts', mints, {
    commitment: 'confirmed',
    encoding: 'base64',
  })

export const genesisCall = () => call(z.string(), 'getGenesisHash')

export const recentFeesCall = () => call(z.array(z.object({ prioritizationFee: z.int().min(0) })), 'getRecentPrioritizationFees')

const Listed = z.object({ signature: SignatureText, slot: z.int(), err: Failure })
export type Listed = z.output<typeof Listed>
export const mostListed = 1_000

/** Lists the transactions of an account from the newest, down to one that is known or from one that was listed. */
export const signaturesCall = (
  account: string,
  { until, before }: { readonly until?: string | undefined; readonly before?: string | undefined },
) =>
  call(z.array(Listed), 'getSignaturesForAddress', account, {
    commitment: 'confirmed',
    limit: mostListed,
    ...(until !== undefined && { until }),
    ...(before !== undefined && { before }),
  })

const TokenBalance = z.object({
  accountIndex: z.int().min(0),
  mint: AddressText,
  owner: AddressText.optional(),
  uiTokenAmount: z.object({ amount: Units }),
})
export type TokenBalance = z.output<typeof TokenBalance>

const Transaction = z.object({
  slot: z.int(),
  blockTime: z.number().nullish(),
  transaction: z.object({ signatures: z.array(SignatureText).min(1), message: z.object({ accountKeys: z.array(AddressText) }) }),
  meta: z.object({
    err: Failure,
    fee: Lamports,
    computeUnitsConsumed: z.int().nullish(),
    preBalances: z.array(Lamports),
    postBalances: z.array(Lamports),
    preTokenBalances: z.array(TokenBalance).nullish(),
    postTokenBalances: z.array(TokenBalance).nullish(),
    loadedAddresses: z.object({ writable: z.array(AddressText), readonly: z.array(AddressText) }).nullish(),
  }),
})
export type Transaction = z.output<typeof Transaction>

const transactionAt = (signature: string, commitment: Commitment) =>
  call(Transaction.nullable(), 'getTransaction', signature, { commitment, encoding: 'json', maxSupportedTransactionVersion: 0 })

export const transactionCall = (signature: string) => transactionAt(signature, 'confirmed')

const Status = z
  .object({
    slot: z.int(),
    confirmations: z.int().nullable(),
    err: Failure,
    confirmationStatus: z.enum(['processed', 'confirmed', 'finalized']).nullish(),
  })
  .nullable()
export type Status = z.output<typeof Status>
export const mostStatuses = 256

export const statusesCall = (signatures: readonly string[]) =>
  call(inContext(z.array(Status).length(signatures.length)), 'getSignatureStatuses', signatures, { searchTransactionHistory: true })

export const asAddress = (text: string): Address => AddressText.parse(text) as Address

const Blockhash = z.string().refine(isBlockhash)
export const blockhashCall = () =>
  call(inContext(z.object({ blockhash: Blockhash, lastValidBlockHeight: z.int() })), 'getLatestBlockhash', { commitment: 'confirmed' })

export const heightCall = () => call(z.int(), 'getBlockHeight', { commitment: 'finalized' })

/** Nodes forget old slots. This is the first one that this node still has. */
export const firstSlotCall = () => call(z.int(), 'getFirstAvailableBlock')

export const finalTransactionCall = (signature: string) => transactionAt(signature, 'finalized')

/** Signatures may be missing, and the transaction's own block has to be recent. */
export const simulationCall = (base64: string, minContextSlot: number) =>
  call(
    inContext(z.object({ err: Failure, logs: z.array(z.string()).nullish(), unitsConsumed: z.int().nullish() })),
    'simulateTransaction',
    base64,
    {
      commitment: 'confirmed',
      encoding: 'base64',
      sigVerify: false,
      minContextSlot,
    },
  )

/** It was simulated before it was signed, and nodes are to pass it on once: the service repeats it itself. */
export const sendCall = (base64: string) =>
  call(SignatureText, 'sendTransaction', base64, { encoding: 'base64', skipPreflight: true, maxRetries: 0 })

export const balanceCall = (address: string) =>
  call(inContext(z.int().min(0).transform(BigInt)), 'getBalance', address, { commitment: 'confirmed' })
