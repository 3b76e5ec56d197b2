import { TOKEN_PROGRAM_ADDRESS } from '@solana-program/token'
import type { MintAccount } from './calls.ts'
import { type Mint, TOKEN_2022_PROGRAM_ADDRESS } from './mints.ts'

/**
 * Why a mint is not taken as it is configured. What is wanted of a token is that money arrives in full, that nobody can take it from an order's
 * address, that wallets show the amount that is transferred, and that all this stays true, since mints are read when the service starts.
 */
export function mintProblem(found: MintAccount | null, mint: Pick<Mint, 'program'>, decimals: number): string | undefined {
  if (!found) return 'does not exist'
  if (found.owner !== mint.program) return otherProgram(found.owner)
  const data = Buffer.from(found.data[0], 'base64')
  if (!isMint(data)) return 'is not a mint'
  if (data[decimalsAt] !== decimals) return `has ${data[decimalsAt]} decimals and not ${decimals}`
  const reasons = extensionsOf(data).flatMap((extension) => reasonAgainst(extension) ?? [])
  return reasons.length === 0 ? undefined : reasons.join(', and ')
}

function otherProgram(owner: string): string {
  if (owner === TOKEN_2022_PROGRAM_ADDRESS) return 'is a token of Token-2022, which "token_program": "token-2022" has to say'
  if (owner === TOKEN_PROGRAM_ADDRESS) return 'is a token of the Token program and not of Token-2022'
  return 'is not a token of a token program'
}

const mintSize = 82
const [decimalsAt, isInitializedAt] = [44, 45]
/** Extensions follow where the longest account without them ends, and a byte there says what they extend. */
const [kindAt, extensionsAt, isOfMint] = [165, 166, 1]

const isMint = (data: Buffer): boolean =>
  data[isInitializedAt] === 1 && (data.length === mintSize || (data.length > kindAt && data[kindAt] === isOfMint))

interface Extension {
  readonly type: number
  readonly value: Buffer
}

/** Each extension has its type and its length in front of it, two bytes each, the lower one first. */
function extensionsOf(data: Buffer): readonly Extension[] {
  const extensions: Extension[] = []
  for (let at = extensionsAt; at + 4 <= data.length;) {
    const [type, length] = [data.readUInt16LE(at), data.readUInt16LE(at + 2)]
    if (type === 0) break
    extensions.push({ type, value: data.subarray(at + 4, at + 4 + length) })
    at += 4 + length
  }
  return extensions
}

/** New accounts are in this state, unless its authority has set another. */
const [defaultAccountState, isInitialized] = [6, 1]

/** An extension that is not known here may do anything, so it is a reason too. */
function reasonAgainst({ type, value }: Extension): string | undefined {
  if (type === defaultAccountState) return value[0] === isInitialized ? undefined : 'freezes accounts from the start'
  if (harmless.has(type)) return undefined
  return reasons.get(type) ?? `has an extension that this release does not know (number ${type})`
}

/** Confidential transfers between others, and what a token is called and belongs to. */
const harmless: ReadonlySet<number> = new Set([4, 18, 19, 20, 21, 22, 23])

const reasons: ReadonlyMap<number, string> = new Map([
  [1, 'can take a fee from each transfer, so money would not arrive in full'],
  [3, 'can be closed and made anew with other rules'],
  [9, 'cannot be transferred'],
  [10, 'bears interest, so wallets show another amount than they transfer'],
  [12, 'has a permanent delegate, who can take it from any account'],
  [14, 'can run a program with each transfer (transfer hook)'],
  [16, 'can take a fee from each confidential transfer'],
  [24, 'exists in confidential balances alone'],
  [25, 'scales what wallets show, which is another amount than they transfer'],
  [26, 'can be paused'],
])
