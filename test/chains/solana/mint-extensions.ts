import { AccountRole, type Address, getAddressEncoder, type Instruction, type KeyPairSigner } from '@solana/kit'
import { getCreateAccountInstruction, SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system'
import { getInitializeMint2Instruction, getMintSize } from '@solana-program/token'
import type { Mint } from '../../../server/chains/solana/mints.ts'
import { TOKEN_2022_PROGRAM_ADDRESS } from '../../../server/chains/solana/mints.ts'

/** Mints of Token-2022 with extensions, whose instructions the real program reads. */

interface Extension {
  /** Bytes of its value in the mint. */
  readonly size: number
  /** What follows the instruction that initialises it. */
  readonly data: (authority: Address, mint: Address) => readonly (number | Uint8Array)[]
}

const key = (of: Address) => Uint8Array.from(getAddressEncoder().encode(of))
const zeros = (count: number) => new Uint8Array(count)
const someKey = (of: Address): Uint8Array => Uint8Array.from([1, ...key(of)])
/** Both an authority and the account that is pointed at. */
const pointer = (instruction: number): Extension => ({ size: 64, data: (by, mint) => [instruction, 0, key(by), key(mint)] })

export const mintExtensions = {
  transferFee: { size: 108, data: (by) => [26, 0, someKey(by), someKey(by), zeros(2), zeros(8)] },
  closeAuthority: { size: 32, data: (by) => [25, someKey(by)] },
  confidentialTransfer: { size: 65, data: (by) => [27, 0, key(by), 1, zeros(32)] },
  frozenAccounts: { size: 1, data: () => [28, 0, 2] },
  initializedAccounts: { size: 1, data: () => [28, 0, 1] },
  nonTransferable: { size: 0, data: () => [32] },
  interestBearing: { size: 52, data: (by) => [33, 0, key(by), 100, 0] },
  permanentDelegate: { size: 32, data: (by) => [35, key(by)] },
  transferHook: { size: 64, data: (by) => [36, 0, key(by), zeros(32)] },
  metadataPointer: pointer(39),
  groupPointer: pointer(40),
  memberPointer: pointer(41),
  scaledAmount: { size: 56, data: (by) => [43, 0, key(by), new Uint8Array(new Float64Array([2]).buffer)] },
  pausable: { size: 33, data: (by) => [44, 0, key(by)] },
  permissionedBurn: { size: 32, data: (by) => [46, 0, key(by)] },
} as const satisfies Record<string, Extension>
export type ExtensionName = keyof typeof mintExtensions

export interface NewMint {
  readonly mint: KeyPairSigner
  readonly program: Address
  readonly decimals: number
  readonly extensions?: readonly ExtensionName[]
  /** Returns what an account with so many bytes must have. */
  readonly rent: (bytes: bigint) => bigint
}

/** The payer has all authorities. */
export function mintInstructions(payer: KeyPairSigner, { mint, program, decimals, extensions = [], rent }: NewMint): Instruction[] {
  const space = extensions.length === 0 ? getMintSize() : 166 + extensions.reduce((sum, name) => sum + 4 + mintExtensions[name].size, 0)
  const authority = payer.address
  return [
    getCreateAccountInstruction({ payer, newAccount: mint, space, lamports: rent(BigInt(space) + metadataBytes), programAddress: program }),
    ...extensions.map((name) => {
      const parts = (mintExtensions[name] as Extension).data(authority, mint.address)
      const data = Uint8Array.from(parts.flatMap((part) => (typeof part === 'number' ? [part] : [...part])))
      return { programAddress: program, accounts: [{ address: mint.address, role: AccountRole.WRITABLE }], data }
    }),
    getInitializeMint2Instruction(
      { mint: mint.address, decimals, mintAuthority: authority, freezeAuthority: authority },
      { programAddress: program },
    ),
  ]
}

/** A mint grows when its name is written into it. */
const metadataBytes = 200n

/** Writes a token's name into its mint, which points to itself (`metadataPointer`). */
export function metadataInstruction(mint: Address, authority: KeyPairSigner): Instruction {
  const text = (of: string): number[] => [of.length, 0, 0, 0, ...Buffer.from(of)]
  const initialize = [210, 225, 30, 162, 88, 184, 77, 141]
  return {
    programAddress: TOKEN_2022_PROGRAM_ADDRESS,
    accounts: [
      { address: mint, role: AccountRole.WRITABLE },
      { address: authority.address, role: AccountRole.READONLY },
      { address: mint, role: AccountRole.READONLY },
      signing(authority),
    ],
    data: Uint8Array.from([...initialize, ...text('Plain Dollar'), ...text('PUSD'), ...text('https://example.com/pusd.json')]),
  }
}

/** From now on the owner's account takes no transfer without a note before it. */
export function requireNotes(owner: KeyPairSigner, account: Address, payer: KeyPairSigner): readonly Instruction[] {
  const memoTransfer = 8
  const programAddress = TOKEN_2022_PROGRAM_ADDRESS
  const writable = { address: account, role: AccountRole.WRITABLE }
  const grow = [writable, signing(payer, true), { address: SYSTEM_PROGRAM_ADDRESS, role: AccountRole.READONLY }, signing(owner)]
  return [
    { programAddress, accounts: grow, data: Uint8Array.from([29, memoTransfer, 0]) },
    { programAddress, accounts: [writable, signing(owner)], data: Uint8Array.from([30, 0]) },
  ]
}

const signing = (signer: KeyPairSigner, isWritable = false) => ({
  address: signer.address,
  role: isWritable ? AccountRole.WRITABLE_SIGNER : AccountRole.READONLY_SIGNER,
  signer,
})

export const mintAt = (address: Address, program: Address): Mint => ({ address, program })
