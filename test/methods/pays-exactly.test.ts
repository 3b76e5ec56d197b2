import {
  AccountRole,
  type Address,
  address,
  appendTransactionMessageInstructions,
  compileTransaction,
  createNoopSigner,
  createTransactionMessage,
  getAddressDecoder,
  getTransactionEncoder,
  type Instruction,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit'
import { getSetComputeUnitLimitInstruction, getSetComputeUnitPriceInstruction } from '@solana-program/compute-budget'
import { getTransferSolInstruction } from '@solana-program/system'
import {
  findAssociatedTokenPda,
  getApproveInstruction,
  getCreateAssociatedTokenIdempotentInstruction,
  getTransferCheckedInstruction,
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TOKEN_2022_PROGRAM_ADDRESS } from '../../server/chains/solana/mints.ts'
import { type Payment, paysExactly } from '../../src/methods/wallet/solana/pays-exactly.ts'
import { readTransaction } from '../../src/methods/wallet/solana/read-transaction.ts'

/** What the page lets a wallet sign, built by the official client. */

const addressOf = (fill: number) => getAddressDecoder().decode(Uint8Array.from({ length: 32 }, (_, i) => (fill * 31 + i * 7 + 1) % 256))
const [payer, shop, mint, operator, thief] = [addressOf(1), addressOf(2), addressOf(3), addressOf(4), addressOf(5)] as const
const programs = [TOKEN_PROGRAM_ADDRESS, TOKEN_2022_PROGRAM_ADDRESS] as const
const tokenAccount = async (owner = payer, token = mint, tokenProgram: Address = TOKEN_PROGRAM_ADDRESS) =>
  (await findAssociatedTokenPda({ owner, mint: token, tokenProgram }))[0]

function wire(feePayer: string, instructions: readonly Instruction[], version: 0 | 'legacy' = 0): Uint8Array {
  const blockhash = addressOf(9) as string
  const lifetime = { blockhash, lastValidBlockHeight: 100n } as Parameters<typeof setTransactionMessageLifetimeUsingBlockhash>[0]
  const message = pipe(
    createTransactionMessage({ version: version as 0 }),
    (empty) => setTransactionMessageFeePayer(address(feePayer), empty),
    (paid) => setTransactionMessageLifetimeUsingBlockhash(lifetime, paid),
    (timed) => appendTransactionMessageInstructions(instructions, timed),
  )
  return Uint8Array.from(getTransactionEncoder().encode(compileTransaction(message)))
}

const coins: Payment = { from: payer, to: shop, mint: null, amount: 283_333_334n, decimals: 9, feePayer: payer }
const tokens: Payment = { from: payer, to: shop, mint, amount: 42_500_000n, decimals: 6, feePayer: operator }
const signer = createNoopSigner(payer)

const sol = (amount = coins.amount, to = shop) => getTransferSolInstruction({ source: signer, destination: to, amount })
const token = async ({ amount = tokens.amount, to = shop, of = mint, decimals = 6, from = payer, program = programs[0] as Address } = {}) =>
  getTransferCheckedInstruction(
    {
      source: await tokenAccount(from, of, program),
      mint: of,
      destination: await tokenAccount(to, of, program),
      authority: createNoopSigner(from),
      amount,
      decimals,
    },
    { programAddress: program },
  )
const limit = (units = 20_000) => getSetComputeUnitLimitInstruction({ units })
const price = (microLamports = 1n) => getSetComputeUnitPriceInstruction({ microLamports })
const opening = async (owner = shop, by = payer, program: Address = TOKEN_PROGRAM_ADDRESS) =>
  getCreateAssociatedTokenIdempotentInstruction({
    payer: createNoopSigner(by),
    ata: await tokenAccount(owner, mint, program),
    owner,
    mint,
    tokenProgram: program,
  })
const memo = (text: string, accounts: Instruction['accounts'] = []): Instruction => ({
  programAddress: address('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr'),
  accounts,
  data: new TextEncoder().encode(text),
})

test('default: payments of coins and tokens are what the screen says', async () => {
  for (const version of [0, 'legacy'] as const) {
    expect(paysExactly(wire(payer, [sol()], version), coins)).toBe(true)
    expect(paysExactly(wire(operator, [limit(), price(), await token(), memo('ord_1')], version), tokens)).toBe(true)
    const own = { ...tokens, feePayer: payer }
    for (const program of programs) {
      expect(paysExactly(wire(operator, [limit(), price(), await token({ program }), memo('ord_1')], version), tokens)).toBe(true)
      expect(paysExactly(wire(payer, [await opening(shop, payer, program), await token({ program })], version), own)).toBe(true)
    }
  }
})

test('error: a token is of one program, and the accounts are of the same', async () => {
  const [first, second] = programs
  const mixed = await token({ program: first })
  expect(paysExactly(wire(operator, [{ ...mixed, programAddress: second }]), tokens)).toBe(false)
  expect(paysExactly(wire(operator, [{ ...mixed, programAddress: thief }]), tokens)).toBe(false)
  const own = { ...tokens, feePayer: payer }
  const wrong = await opening(shop, payer, second)
  const accounts = wrong.accounts.map((account, i) => (i === 1 ? { ...account, address: mixed.accounts[2].address } : account))
  expect(paysExactly(wire(payer, [{ ...wrong, accounts }, mixed]), own)).toBe(false)
})

test('error: another amount, token, receiver or payer of fees is not', async () => {
  const thiefPays = { ...coins, feePayer: thief }
  expect(paysExactly(wire(payer, [sol(coins.amount + 1n)]), coins)).toBe(false)
  expect(paysExactly(wire(payer, [sol(coins.amount, thief)]), coins)).toBe(false)
  expect(paysExactly(wire(thief, [sol()]), coins)).toBe(false)
  expect(paysExactly(wire(payer, [sol()]), thiefPays)).toBe(false)
  const others = [{ amount: tokens.amount + 1n }, { to: thief }, { of: addressOf(7) }, { decimals: 7 }, { from: thief }]
  for (const other of others)
    expect(paysExactly(wire(operator, [await token(other)]), tokens), JSON.stringify(Object.keys(other))).toBe(false)
  expect(paysExactly(wire(operator, [await token()]), { ...tokens, mint: null })).toBe(false)
})

test('error: nothing may come with the payment', async () => {
  const approval = getApproveInstruction({ source: await tokenAccount(), delegate: thief, owner: signer, amount: 1n })
  const surprises: readonly (readonly Instruction[])[] = [
    [sol(), sol()],
    [sol(), sol(1n, thief)],
    [],
    [sol(), approval],
    [sol(), memo('hello', [{ address: thief, role: AccountRole.WRITABLE }])],
    [sol(), await opening(shop)],
    [sol(), limit(1_400_000), price(1_000_000_000n)],
    [sol(), price(1n)],
    [sol(), { programAddress: address(thief), accounts: [], data: new Uint8Array() }],
  ]
  for (const [i, instructions] of surprises.entries()) expect(paysExactly(wire(payer, instructions), coins), `surprise ${i}`).toBe(false)
  const withTokens = [await token(), await opening(thief)]
  expect(paysExactly(wire(payer, withTokens), { ...tokens, feePayer: payer })).toBe(false)
  expect(paysExactly(wire(operator, [await opening(shop, operator), await token()]), tokens)).toBe(false)
})

test('error: bytes of any kind are read or refused, and a changed transaction is never taken for the payment', async () => {
  const good = wire(operator, [limit(), price(), await token()])
  const signatures = 1 + 2 * 64
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
      expect(paysExactly(bytes, tokens)).toBe(false)
    }),
  )
  const { length } = good
  fc.assert(
    fc.property(fc.integer({ min: signatures, max: length - 1 }), fc.integer({ min: 1, max: 255 }), (at, by) => {
      const changed = Uint8Array.from(good)
      changed[at] = (changed[at]! + by) % 256
      const read = readTransaction(changed)
      // The hash of a block, and how much may be computed at most and at which price, are not what is paid.
      const before = readTransaction(good)!
      const same = JSON.stringify(read?.instructions.slice(2)) === JSON.stringify(before.instructions.slice(2))
      if (paysExactly(changed, tokens)) expect(same && read?.signers.join() === before.signers.join()).toBe(true)
    }),
  )
  for (let end = 0; end < length; end++) expect(paysExactly(good.slice(0, end), tokens)).toBe(false)
  expect(paysExactly(Uint8Array.from([...good, 0]), tokens)).toBe(false)
})
