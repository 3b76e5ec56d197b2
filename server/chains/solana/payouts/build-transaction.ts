import {
  type Address,
  address,
  appendTransactionMessageInstructions,
  type Blockhash,
  compileTransaction,
  createNoopSigner,
  createTransactionMessage,
  type Instruction,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
  type Transaction,
} from '@solana/kit'
import { getSetComputeUnitLimitInstruction, getSetComputeUnitPriceInstruction } from '@solana-program/compute-budget'
import { getTransferSolInstruction } from '@solana-program/system'
import {
  getCloseAccountInstruction,
  getCreateAssociatedTokenIdempotentInstruction,
  getTransferCheckedInstruction,
} from '@solana-program/token'
import { asAddress } from '../calls.ts'
import type { Mint } from '../mints.ts'
import { tokenAccount } from '../token-account.ts'

export interface Part {
  /** Pays the fee, and the rent of accounts that receivers do not have yet. */
  readonly operator: Address
  readonly deposit: Address
  /** It is absent for coins. */
  readonly token?: { readonly mint: Mint; readonly decimals: number }
  readonly legs: readonly PaidLeg[]
  /** What is written before the legs whose receivers want a note. */
  readonly note: string
  /** The deposit's token account is empty after the legs, so it is closed, and its rent is the operator's. */
  readonly isClosed: boolean
}

export interface PaidLeg {
  /** Its place in the payout. */
  readonly index: number
  readonly to: string
  readonly amount: bigint
  /** The receiver has no account for the token, so the operator opens one. */
  readonly isOpened: boolean
  /** The receiver's account takes no transfer without a note before it (the extension MemoTransfer of Token-2022). */
  readonly isNoted: boolean
}

export interface Lifetime {
  readonly blockhash: Blockhash
  readonly lastValidBlockHeight: number
}

export interface Budget {
  readonly units: number
  /** In millionths of a lamport for each compute unit. */
  readonly unitPrice: bigint
}

export interface Built {
  readonly unsigned: Transaction
  /** What each instruction is for. */
  readonly purposes: readonly Purpose[]
}

export type Purpose = 'budget' | 'open' | 'close' | { readonly leg: number }

/** All legs are in one transaction, which moves all of them or nothing. */
export async function buildTransaction(part: Part, lifetime: Lifetime, budget: Budget): Promise<Built> {
  return compile(part.operator, part.token ? await tokenSteps(part, part.token) : coinSteps(part), lifetime, budget)
}

/** Opens an owner's account for a token at the operator's cost, unless he has one. */
export async function buildOpening(operator: Address, owner: Address, mint: Mint, lifetime: Lifetime, budget: Budget): Promise<Built> {
  return compile(operator, [['open', await opening(operator, owner, mint)]], lifetime, budget)
}

export async function opening(operator: Address, owner: Address, mint: Mint): Promise<Instruction> {
  const [payer, ata] = [createNoopSigner(operator), await tokenAccount(owner, mint)]
  return getCreateAssociatedTokenIdempotentInstruction({ payer, ata, owner, mint: mint.address, tokenProgram: mint.program })
}

type Step = readonly [Purpose, Instruction]

function compile(operator: Address, work: readonly Step[], { blockhash, lastValidBlockHeight }: Lifetime, budget: Budget): Built {
  const steps: readonly Step[] = [
    ['budget', getSetComputeUnitLimitInstruction({ units: budget.units })],
    ['budget', getSetComputeUnitPriceInstruction({ microLamports: budget.unitPrice })],
    ...work,
  ]
  const message = pipe(
    createTransactionMessage({ version: 0 }),
    (empty) => setTransactionMessageFeePayer(operator, empty),
    (paid) => setTransactionMessageLifetimeUsingBlockhash({ blockhash, lastValidBlockHeight: BigInt(lastValidBlockHeight) }, paid),
    (timed) =>
      appendTransactionMessageInstructions(
        steps.map(([, instruction]) => instruction),
        timed,
      ),
  )
  return { unsigned: compileTransaction(message), purposes: steps.map(([purpose]) => purpose) }
}

const coinSteps = ({ deposit, legs }: Part): readonly Step[] =>
  legs.map(({ index, to, amount }) => [
    { leg: index },
    getTransferSolInstruction({ source: createNoopSigner(deposit), destination: asAddress(to), amount }),
  ])

const MEMO_PROGRAM_ADDRESS = address('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr')

const memo = (text: string): Instruction => ({ programAddress: MEMO_PROGRAM_ADDRESS, data: new TextEncoder().encode(text) })

async function tokenSteps(
  { operator, deposit, legs, isClosed, note }: Part,
  { mint, decimals }: NonNullable<Part['token']>,
): Promise<readonly Step[]> {
  const program = { programAddress: mint.program }
  const source = await tokenAccount(deposit, mint)
  const authority = createNoopSigner(deposit)
  const steps: Step[] = []
  for (const { index, to, amount, isOpened, isNoted } of legs) {
    const leg = { leg: index }
    const owner = asAddress(to)
    const parties = { source, mint: mint.address, destination: await tokenAccount(owner, mint), authority }
    if (isOpened) steps.push([leg, await opening(operator, owner, mint)])
    // The token's program looks for the note right before the transfer.
    if (isNoted) steps.push([leg, memo(note)])
    steps.push([leg, getTransferCheckedInstruction({ ...parties, amount, decimals }, program)])
  }
  if (isClosed) steps.push(['close', getCloseAccountInstruction({ account: source, destination: operator, owner: authority }, program)])
  return steps
}
