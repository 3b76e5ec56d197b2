import {
  type Address,
  type Blockhash,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  isSolanaError,
  type KeyPairSigner,
  type Signature,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SEND_TRANSACTION_PREFLIGHT_FAILURE,
} from '@solana/kit'
import { getTransferSolInstruction } from '@solana-program/system'
import { fetchToken, getCloseAccountInstruction, getTransferCheckedInstruction } from '@solana-program/token'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { TOKEN_2022_PROGRAM_ADDRESS } from '../../server/chains/solana/mints.ts'
import { type SolanaWallets, solanaWallets, wireOf } from '../support/wallets/solana-wallet.ts'
import { until } from '../support/wait.ts'

export interface SolanaNodeUnderTest {
  readonly url: string
  readonly wsUrl: string
  stop(): Promise<void>
}

/** What the service, the official libraries and local mode rely on, whatever node they have. Slots follow each other by themselves. */
export function solanaNodeContract(name: string, start: () => Promise<SolanaNodeUnderTest>): void {
  describe(`Solana node contract: ${name}`, () => {
    let node: SolanaNodeUnderTest
    let wallets: SolanaWallets
    let payer: KeyPairSigner
    let mint: Address
    const base64 = { encoding: 'base64' } as const
    const confirmed = { commitment: 'confirmed' } as const

    beforeAll(async () => {
      node = await start()
      wallets = solanaWallets(node.url, node.wsUrl)
      payer = await wallets.payer()
      mint = await wallets.createToken(payer, 1_000_000_000n)
    })
    afterAll(() => node?.stop())

    const balance = async (address: Address, commitment: 'confirmed' | 'finalized' = 'confirmed') =>
      (await wallets.rpc.getBalance(address, { commitment }).send()).value
    const statusOf = async (signature: Signature) => (await wallets.rpc.getSignatureStatuses([signature]).send()).value[0]
    const transactionOf = (signature: Signature) =>
      wallets.rpc.getTransaction(signature, { commitment: 'confirmed', encoding: 'json', maxSupportedTransactionVersion: 0 }).send()
    const tokensOf = async (owner: Address) =>
      (await fetchToken(wallets.rpc, await wallets.tokenAccount(owner, mint), confirmed)).data.amount
    const confirmation = (signature: Signature) =>
      until(async () => (await statusOf(signature))?.confirmationStatus !== 'processed' && (await statusOf(signature)), {
        what: `${signature} is confirmed`,
      })
    const failure = async (work: Promise<unknown>) =>
      work.then(
        () => undefined,
        (error: unknown) => error,
      )

    test('default: a payment in SOL is confirmed by a subscription, costs its fee, and becomes final', async () => {
      const to = await wallets.newAccount()
      const before = await balance(payer.address)
      const signature = await wallets.paySol(payer, to.address, 2_000_000n)
      expect(await balance(to.address)).toBe(2_000_000n)
      expect(before - (await balance(payer.address))).toBe(2_005_000n)
      expect(await statusOf(signature)).toMatchObject({ err: null })
      expect(await balance(to.address, 'finalized')).toBe(0n)
      await until(async () => (await statusOf(signature))?.confirmationStatus === 'finalized', { what: 'the payment is final' })
      expect(await statusOf(signature)).toMatchObject({ confirmations: null })
      expect(await balance(to.address, 'finalized')).toBe(2_000_000n)
    })

    test('default: a payment in a token says in its balances who has got how much of what', async () => {
      const to = await wallets.newAccount()
      const signature = await wallets.payToken(payer, mint, to.address, 42_500_000n)
      const found = await transactionOf(signature)
      const account = await wallets.tokenAccount(to.address, mint)
      const index = found!.transaction.message.accountKeys.indexOf(account)
      const after = found!.meta!.postTokenBalances!.find(({ accountIndex }) => accountIndex === index)
      expect(after).toMatchObject({ mint, owner: to.address, uiTokenAmount: { amount: '42500000', decimals: 6 } })
      expect(found!.meta!.preTokenBalances!.find(({ accountIndex }) => accountIndex === index)).toBeUndefined()
      expect(found!.meta).toMatchObject({ err: null, fee: 5_000n })
      expect(await tokensOf(to.address)).toBe(42_500_000n)
    })

    test('default: a token of Token-2022 is in the balances like any other, with its program', async () => {
      const program = TOKEN_2022_PROGRAM_ADDRESS
      const [owner, to] = [await wallets.payer(), await wallets.newAccount()]
      const other = await wallets.createToken(owner, 1_000_000n, program)
      const signature = await wallets.payToken(owner, other, to.address, 7n, program)
      const found = await transactionOf(signature)
      const account = await wallets.tokenAccount(to.address, other, program)
      const index = found!.transaction.message.accountKeys.indexOf(account)
      const after = found!.meta!.postTokenBalances!.find(({ accountIndex }) => accountIndex === index)
      expect(after).toMatchObject({ mint: other, owner: to.address, programId: program, uiTokenAmount: { amount: '7', decimals: 6 } })
      // The account has an extension, and so does its rent.
      expect(await balance(account)).toBe(2_074_080n)
    })

    test('behavior: an account’s subscription reports each change', async () => {
      const to = await wallets.newAccount()
      const stopping = new AbortController()
      const changes = await wallets.subscriptions
        .accountNotifications(to.address, { ...confirmed, ...base64 })
        .subscribe({ abortSignal: stopping.signal })
      const first = changes[Symbol.asyncIterator]().next()
      await wallets.paySol(payer, to.address, 3_000_000n)
      expect((await first).value?.value.lamports).toBe(3_000_000n)
      stopping.abort()
    })

    test('behavior: an address lists its transactions from the newest, and those after a known one', async () => {
      const to = await wallets.newAccount()
      const first = await wallets.paySol(payer, to.address, 2_000_000n)
      const second = await wallets.paySol(payer, to.address, 2_000_001n)
      const listed = await wallets.rpc.getSignaturesForAddress(to.address, confirmed).send()
      expect(listed.map(({ signature }) => signature)).toEqual([second, first])
      const later = await wallets.rpc.getSignaturesForAddress(to.address, { ...confirmed, until: first }).send()
      expect(later.map(({ signature }) => signature)).toEqual([second])
      const earlier = await wallets.rpc.getSignaturesForAddress(to.address, { ...confirmed, before: second, limit: 1 }).send()
      expect(earlier.map(({ signature }) => signature)).toEqual([first])
    })

    test('behavior: many accounts are read at one slot, and those that do not exist are null', async () => {
      const [to, none] = [await wallets.newAccount(), await wallets.newAccount()]
      await wallets.paySol(payer, to.address, 2_000_000n)
      const { context, value } = await wallets.rpc.getMultipleAccounts([to.address, none.address], { ...confirmed, ...base64 }).send()
      expect(value).toMatchObject([{ lamports: 2_000_000n, space: 0n }, null])
      expect(context.slot).toBeGreaterThan(0n)
    })

    test('behavior: a node says from which slot on it has blocks', async () => {
      const first = await wallets.rpc.getFirstAvailableBlock().send()
      expect(first).toBeLessThan(await wallets.rpc.getSlot({ commitment: 'confirmed' }).send())
    })

    test('behavior: a closed token account returns its rent', async () => {
      const owner = await wallets.payer()
      await wallets.payToken(payer, mint, owner.address, 7n)
      const account = await wallets.tokenAccount(owner.address, mint)
      const rent = await balance(account)
      const before = await balance(payer.address)
      await wallets.send(owner, [
        getTransferCheckedInstruction({
          source: account,
          mint,
          destination: await wallets.tokenAccount(payer.address, mint),
          authority: owner,
          amount: 7n,
          decimals: 6,
        }),
        getCloseAccountInstruction({ account, destination: payer.address, owner }),
      ])
      expect((await balance(payer.address)) - before).toBe(rent)
      expect(await balance(account)).toBe(0n)
    })

    test('error: less than an account’s rent cannot be paid to a new address', async () => {
      const to = await wallets.newAccount()
      const signed = await wallets.sign(payer, [getTransferSolInstruction({ source: payer, destination: to.address, amount: 500_000n })])
      const error = await failure(wallets.rpc.sendTransaction(wireOf(signed), base64).send())
      expect(isSolanaError(error, SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SEND_TRANSACTION_PREFLIGHT_FAILURE)).toBe(true)
      expect(String((error as { cause?: unknown }).cause)).toContain('rent')
    })

    test('error: what fails in a block pays its fee, and moves nothing', async () => {
      const to = await wallets.newAccount()
      const poor = await wallets.payer(5_000_000n)
      const signed = await wallets.sign(poor, [getTransferSolInstruction({ source: poor, destination: to.address, amount: 50_000_000n })])
      await wallets.rpc.sendTransaction(wireOf(signed), { ...base64, skipPreflight: true }).send()
      const signature = getSignatureFromTransaction(signed)
      expect(await confirmation(signature)).toMatchObject({ err: { InstructionError: [0n, { Custom: 1n }] } })
      expect((await transactionOf(signature))!.meta).toMatchObject({ err: { InstructionError: [0n, { Custom: 1n }] }, fee: 5_000n })
      expect(await balance(poor.address)).toBe(4_995_000n)
      expect(await balance(to.address)).toBe(0n)
    })

    test('error: a transaction is included once, and one of an unknown block never', async () => {
      const to = await wallets.newAccount()
      const instructions = [getTransferSolInstruction({ source: payer, destination: to.address, amount: 2_000_000n })]
      const signed = await wallets.sign(payer, instructions)
      await wallets.rpc.sendTransaction(wireOf(signed), base64).send()
      await confirmation(getSignatureFromTransaction(signed))
      await wallets.rpc.sendTransaction(wireOf(signed), { ...base64, skipPreflight: true }).send()
      expect(await balance(to.address)).toBe(2_000_000n)
      const unknown = { blockhash: to.address as string as Blockhash, lastValidBlockHeight: 1_000_000n }
      const expired = await wallets.sign(payer, instructions, unknown)
      expect(await failure(wallets.rpc.sendTransaction(wireOf(expired), base64).send())).toMatchObject({ cause: expect.anything() })
      await wallets.rpc.sendTransaction(wireOf(expired), { ...base64, skipPreflight: true }).send()
      expect(await statusOf(getSignatureFromTransaction(expired))).toBeNull()
    })

    test('error: a transaction without a valid signature is refused', async () => {
      const to = await wallets.newAccount()
      const signed = await wallets.sign(payer, [getTransferSolInstruction({ source: payer, destination: to.address, amount: 2_000_000n })])
      const forged = { ...signed, signatures: { ...signed.signatures, [payer.address]: new Uint8Array(64).fill(1) } } as typeof signed
      const sending = wallets.rpc.sendTransaction(getBase64EncodedWireTransaction(forged), { ...base64, skipPreflight: true }).send()
      expect(String(await failure(sending))).toMatch(/signature/i)
    })

    test('behavior: a simulation changes nothing, needs no signature, and names the instruction that fails', async () => {
      const to = await wallets.newAccount()
      const transfer = (amount: bigint) => getTransferSolInstruction({ source: payer, destination: to.address, amount })
      const signed = await wallets.sign(payer, [transfer(2_000_000n), transfer(10n ** 18n)])
      const unsigned = { ...signed, signatures: { ...signed.signatures, [payer.address]: null } } as unknown as typeof signed
      const { value } = await wallets.rpc
        .simulateTransaction(getBase64EncodedWireTransaction(unsigned), { ...base64, ...confirmed, sigVerify: false })
        .send()
      expect(value.err).toEqual({ InstructionError: [1n, { Custom: 1n }] })
      expect(await balance(to.address)).toBe(0n)
    })

    test('behavior: several calls in one request are answered together', async () => {
      const call = (id: number, method: string, params: readonly unknown[] = []) => ({ jsonrpc: '2.0', id, method, params })
      const body = JSON.stringify([call(1, 'getSlot'), call(2, 'getBalance', [payer.address]), call(3, 'noSuchMethod')])
      const response = await fetch(node.url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
      const answers = (await response.json()) as { id: number; error?: { code: number } }[]
      expect(answers.map(({ id, error }) => [id, error?.code])).toEqual([
        [1, undefined],
        [2, undefined],
        [3, -32601],
      ])
    })
  })
}
