import { randomBytes } from 'node:crypto'
import { type Address, createKeyPairSignerFromPrivateKeyBytes } from '@solana/kit'
import { getCloseAccountInstruction, TOKEN_PROGRAM_ADDRESS } from '@solana-program/token'
import { TOKEN_2022_PROGRAM_ADDRESS as officialAddress } from '@x402/svm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type LocalSolana, startLocalSolana } from '../../../local/solana/start-local-solana.ts'
import { transact } from '../../../local/solana/transact.ts'
import { ChainMisconfigured } from '../../../server/chains/chain-misconfigured.ts'
import { createSolanaChain } from '../../../server/chains/solana/create-solana-chain.ts'
import { mintProblem } from '../../../server/chains/solana/mint-problem.ts'
import { TOKEN_2022_PROGRAM_ADDRESS } from '../../../server/chains/solana/mints.ts'
import { type ExtensionName, metadataInstruction, mintInstructions } from './mint-extensions.ts'

/** Which mints may be configured. The real programs make them. */

let local: LocalSolana
beforeAll(async () => {
  local = await startLocalSolana({ slots: 'manual' })
})
afterAll(() => local?.stop())

interface Made {
  readonly extensions?: readonly ExtensionName[]
  readonly program?: Address
  readonly isNamed?: boolean
}

async function made({ extensions = [], program = TOKEN_2022_PROGRAM_ADDRESS, isNamed = false }: Made): Promise<Address> {
  const { ledger, faucet } = local.node
  const mint = await createKeyPairSignerFromPrivateKeyBytes(randomBytes(32))
  await transact(ledger, faucet.signer, [
    ...mintInstructions(faucet.signer, { mint, program, decimals: 6, extensions, rent: ledger.rent }),
    ...(isNamed ? [metadataInstruction(mint.address, faucet.signer)] : []),
  ])
  ledger.advance(1)
  return mint.address
}

/** Starts with this token in the table, and returns why that is refused. */
async function refusalOf(address: Address, change: { readonly program?: Address; readonly decimals?: number } = {}) {
  const program = TOKEN_2022_PROGRAM_ADDRESS
  const tokens = [{ ...local.config.tokens[0]!, symbol: 'PUSD', address, program, ...change }]
  const checking = createSolanaChain({ ...local.config, tokens }).check(AbortSignal.timeout(60_000))
  return checking.then(
    () => undefined,
    (error: unknown) => (error instanceof ChainMisconfigured ? error.message : error),
  )
}

const harmless: readonly Made[] = [
  {},
  { extensions: ['metadataPointer'], isNamed: true },
  { extensions: ['initializedAccounts', 'confidentialTransfer', 'metadataPointer', 'groupPointer', 'memberPointer'], isNamed: true },
]
test.each(harmless)('default: a mint that transfers exactly what was sent is accepted: %j', async (mint) => {
  expect(await refusalOf(await made(mint))).toBeUndefined()
})

describe('a mint is refused by name', () => {
  const cases: readonly (readonly [ExtensionName, RegExp])[] = [
    ['transferFee', /can take a fee from each transfer, so money would not arrive in full/],
    ['transferHook', /can run a program with each transfer \(transfer hook\)/],
    ['frozenAccounts', /freezes accounts from the start/],
    ['nonTransferable', /cannot be transferred/],
    ['permanentDelegate', /has a permanent delegate, who can take it from any account/],
    ['pausable', /can be paused/],
    ['interestBearing', /bears interest, so wallets show another amount than they transfer/],
    ['scaledAmount', /scales what wallets show/],
    ['closeAuthority', /can be closed and made anew with other rules/],
    ['permissionedBurn', /has an extension that this release does not know \(number 28\)/],
  ]
  test.each(cases)('error: %s', async (extension, reason) => {
    const address = await made({ extensions: [extension] })
    const message = await refusalOf(address)
    expect(message).toMatch(reason)
    expect(message).toContain(`PUSD (${address})`)
  })

  test('error: all reasons are given, wherever among harmless extensions they are', async () => {
    const extensions = ['metadataPointer', 'permanentDelegate', 'groupPointer', 'transferFee'] as const
    expect(await refusalOf(await made({ extensions, isNamed: true }))).toMatch(/permanent delegate.*, and can take a fee/)
  })

  test('error: the other program, other decimals', async () => {
    const [plain, old] = [await made({}), await made({ program: TOKEN_PROGRAM_ADDRESS })]
    expect(await refusalOf(plain, { program: TOKEN_PROGRAM_ADDRESS })).toMatch(/"token_program": "token-2022" has to say/)
    expect(await refusalOf(old)).toMatch(/is a token of the Token program and not of Token-2022/)
    expect(await refusalOf(plain, { decimals: 9 })).toMatch(/has 6 decimals and not 9/)
  })

  test('error: what no program here makes, or has not made whole', () => {
    const withExtension = (type: number, length = 0, written = length) => {
      const data = Buffer.alloc(166 + 4 + written)
      ;[data[44], data[45], data[165]] = [6, 1, 1]
      data.writeUInt16LE(type, 166)
      data.writeUInt16LE(length, 168)
      return data
    }
    const problemOf = (data: Buffer) =>
      mintProblem(
        { owner: TOKEN_2022_PROGRAM_ADDRESS, data: [data.toString('base64'), 'base64'] },
        { program: TOKEN_2022_PROGRAM_ADDRESS },
        6,
      )
    expect(problemOf(withExtension(18, 64))).toBeUndefined()
    expect(problemOf(withExtension(24, 196))).toMatch(/exists in confidential balances alone/)
    expect(problemOf(withExtension(16, 129))).toMatch(/fee from each confidential transfer/)
    expect(problemOf(withExtension(999))).toMatch(/number 999/)
    expect(problemOf(withExtension(6, 1, 0))).toMatch(/freezes accounts/)
    const ofAccount = withExtension(18, 64)
    ofAccount[165] = 2
    expect(problemOf(ofAccount)).toBe('is not a mint')
    expect(problemOf(Buffer.alloc(82))).toBe('is not a mint')
  })
})

test('behavior: a close authority can replace a mint by one with other rules, which is why it is refused', async () => {
  const { ledger, faucet } = local.node
  const { signer } = faucet
  const mint = await createKeyPairSignerFromPrivateKeyBytes(randomBytes(32))
  const program = TOKEN_2022_PROGRAM_ADDRESS
  const make = (extension: ExtensionName) =>
    transact(ledger, signer, mintInstructions(signer, { mint, program, decimals: 6, extensions: [extension], rent: ledger.rent }))
  await make('closeAuthority')
  const close = { account: mint.address, destination: signer.address, owner: signer }
  await transact(ledger, signer, [getCloseAccountInstruction(close, { programAddress: program })])
  await make('transferFee')
  ledger.advance(1)
  expect(await refusalOf(mint.address)).toMatch(/can take a fee/)
})

test('default: the program has the address that the official library knows', () => {
  expect(TOKEN_2022_PROGRAM_ADDRESS).toBe(officialAddress)
})
