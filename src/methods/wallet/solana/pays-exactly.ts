import { decodeBase58 } from '../../../wire/addresses/base58.ts'
import { sha256 } from '../../../wire/addresses/sha256.ts'
import { type Instruction, readTransaction } from './read-transaction.ts'

/** What the screen says, and so all that the wallet may be asked to sign. */
export interface Payment {
  readonly from: string
  readonly to: string
  /** It is null for the network's own coin. */
  readonly mint: string | null
  readonly amount: bigint
  readonly decimals: number
  /** Pays the network fee. It is the payer where nobody else does. */
  readonly feePayer: string
}

const system = '11111111111111111111111111111111'
/** A token belongs to one of two programs, and the network refuses the other one for it. So the page need not know which. */
const tokenPrograms = ['TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb']
const tokenAccounts = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL'
const budget = 'ComputeBudget111111111111111111111111111111'
const memo = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr'

/** A payer who pays the network fee himself must not be made to pay more than this, in lamports. */
const mostPriority = 100_000n

/** Returns whether the transaction makes this payment and does nothing else. It is asked before a wallet sees the transaction. */
export function paysExactly(bytes: Uint8Array, payment: Payment): boolean {
  const transaction = readTransaction(bytes)
  if (!transaction) return false
  const { signers, instructions } = transaction
  const { from, feePayer } = payment
  const expected = feePayer === from ? [from] : [feePayer, from]
  if (signers.length !== expected.length || expected.some((signer, i) => signers[i] !== signer)) return false
  const transfers = instructions.filter((instruction) => isTransfer(instruction, payment))
  const others = instructions.filter((instruction) => !transfers.includes(instruction))
  return transfers.length === 1 && others.every((instruction) => isHarmless(instruction, payment)) && isCheap(instructions)
}

function isTransfer({ program, accounts, data }: Instruction, { from, to, mint, amount, decimals }: Payment): boolean {
  const view = new DataView(data.buffer, data.byteOffset, data.length)
  if (mint === null)
    return (
      program === system &&
      data.length === 12 &&
      view.getUint32(0, true) === 2 &&
      view.getBigUint64(4, true) === amount &&
      accounts.length === 2 &&
      accounts[0] === from &&
      accounts[1] === to
    )
  const [source, token, destination, authority, ...more] = accounts
  return (
    tokenPrograms.includes(program) &&
    data.length === 10 &&
    data[0] === 12 &&
    view.getBigUint64(1, true) === amount &&
    data[9] === decimals &&
    more.length === 0 &&
    token === mint &&
    authority === from &&
    isTokenAccount(source, from, mint, program) &&
    isTokenAccount(destination, to, mint, program)
  )
}

/** Limits what the network may compute, leaves a note, or opens the receiver's account at the payer's own cost. */
function isHarmless({ program, accounts, data }: Instruction, { from, to, mint, feePayer }: Payment): boolean {
  switch (program) {
    case budget:
      return accounts.length === 0 && ((data[0] === 2 && data.length === 5) || (data[0] === 3 && data.length === 9))
    case memo:
      return accounts.length === 0
    case tokenAccounts:
      return (
        mint !== null &&
        feePayer === from &&
        data.length === 1 &&
        data[0] === 1 &&
        accounts.length === 6 &&
        [from, undefined, to, mint, system].every((account, i) => account === undefined || accounts[i] === account) &&
        tokenPrograms.some((tokens) => accounts[5] === tokens && isTokenAccount(accounts[1], to, mint, tokens))
      )
    default:
      return false
  }
}

/** The price of a compute unit is in millionths of a lamport. Without a limit a transaction has far more units than a payment needs. */
function isCheap(instructions: readonly Instruction[]): boolean {
  const settings = instructions.filter(({ program }) => program === budget).map(({ data }) => new DataView(data.buffer, data.byteOffset))
  const units = settings.find((view) => view.getUint8(0) === 2)?.getUint32(1, true)
  const price = settings.find((view) => view.getUint8(0) === 3)?.getBigUint64(1, true)
  return price === undefined || (units !== undefined && BigInt(units) * price <= mostPriority * 1_000_000n)
}

/**
 * A token account's address is a hash of its owner, its token and a number that makes it nobody's public key. Which number that is takes the
 * mathematics of the curve to find out. Any number will do here, since a hash under another number is an address that nobody has.
 */
function isTokenAccount(address: string | undefined, owner: string, mint: string, tokens: string): boolean {
  const [wanted, ...seeds] = [address ?? '', owner, tokens, mint].map((part) => decodeBase58(part))
  const program = decodeBase58(tokenAccounts)
  if (!wanted || !program || seeds.some((seed) => seed?.length !== 32)) return false
  const before = seeds.flatMap((seed) => [...(seed ?? [])])
  const after = [...program, ...new TextEncoder().encode('ProgramDerivedAddress')]
  for (let number = 255; number >= 0; number--) {
    const hash = sha256(Uint8Array.from([...before, number, ...after]))
    if (hash.every((byte, i) => byte === wanted[i])) return wanted.length === hash.length
  }
  return false
}
