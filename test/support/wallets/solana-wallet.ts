import { createHash, randomBytes } from 'node:crypto'
import {
  type Address,
  appendTransactionMessageInstructions,
  assertIsSendableTransaction,
  assertIsTransactionWithBlockhashLifetime,
  createKeyPairSignerFromPrivateKeyBytes,
  createSolanaRpc,
  createSolanaRpcSubscriptions,
  createTransactionMessage,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  type Instruction,
  type KeyPairSigner,
  lamports,
  pipe,
  type Rpc,
  type RpcSubscriptions,
  sendAndConfirmTransactionFactory,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  type Signature,
  signTransactionMessageWithSigners,
  type SolanaRpcApi,
  type SolanaRpcSubscriptionsApi,
} from '@solana/kit'
import { getCreateAccountInstruction, getTransferSolInstruction } from '@solana-program/system'
import {
  findAssociatedTokenPda,
  getCreateAssociatedTokenIdempotentInstruction,
  getInitializeMint2Instruction,
  getMintSize,
  getMintToInstruction,
  getTransferCheckedInstruction,
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token'

/** Wallets of payers and shops, by the official client over a node's RPC. */
export interface SolanaWallets {
  readonly rpc: Rpc<SolanaRpcApi>
  readonly subscriptions: RpcSubscriptions<SolanaRpcSubscriptionsApi>
  /** Creates an account that nobody has used. */
  newAccount(): Promise<KeyPairSigner>
  /** Creates an account with so many lamports. */
  payer(amount?: bigint): Promise<KeyPairSigner>
  /** Signs a transaction, which is valid for as long as the hash of a recent block, or of the one that is given. */
  sign(payer: KeyPairSigner, instructions: readonly Instruction[], lifetime?: Lifetime): Promise<Signed>
  /** Signs, sends and waits until the cluster has confirmed. */
  send(payer: KeyPairSigner, instructions: readonly Instruction[]): Promise<Signature>
  paySol(from: KeyPairSigner, to: Address, amount: bigint): Promise<Signature>
  /** Creates a token and gives all of it to its owner. */
  createToken(owner: KeyPairSigner, supply: bigint, program?: Address): Promise<Address>
  payToken(from: KeyPairSigner, mint: Address, to: Address, amount: bigint, program?: Address): Promise<Signature>
  tokenAccount(owner: Address, mint: Address, program?: Address): Promise<Address>
}

export type Lifetime = Parameters<typeof setTransactionMessageLifetimeUsingBlockhash>[0]
export type Signed = Awaited<ReturnType<typeof signTransactionMessageWithSigners>>

export const wireOf = (signed: Signed) => getBase64EncodedWireTransaction(signed)

const sol = 1_000_000_000n

export function solanaWallets(url: string, wsUrl: string): SolanaWallets {
  const rpc = createSolanaRpc(url)
  const subscriptions = createSolanaRpcSubscriptions(wsUrl)
  const sendAndConfirm = sendAndConfirmTransactionFactory({ rpc: rpc as never, rpcSubscriptions: subscriptions as never })
  const newAccount = () => createKeyPairSignerFromPrivateKeyBytes(createHash('sha256').update(randomBytes(32)).digest())

  async function sign(payer: KeyPairSigner, instructions: readonly Instruction[], given?: Lifetime): Promise<Signed> {
    const lifetime = given ?? (await rpc.getLatestBlockhash({ commitment: 'confirmed' }).send()).value
    return signTransactionMessageWithSigners(
      pipe(
        createTransactionMessage({ version: 0 }),
        (message) => setTransactionMessageFeePayerSigner(payer, message),
        (message) => setTransactionMessageLifetimeUsingBlockhash(lifetime, message),
        (message) => appendTransactionMessageInstructions(instructions, message),
      ),
    )
  }

  async function send(payer: KeyPairSigner, instructions: readonly Instruction[]): Promise<Signature> {
    const signed = await sign(payer, instructions)
    assertIsSendableTransaction(signed)
    assertIsTransactionWithBlockhashLifetime(signed)
    await sendAndConfirm(signed, { commitment: 'confirmed' })
    return getSignatureFromTransaction(signed)
  }

  const tokenAccount = async (owner: Address, mint: Address, tokenProgram: Address = TOKEN_PROGRAM_ADDRESS) =>
    (await findAssociatedTokenPda({ owner, mint, tokenProgram }))[0]
  const open = async (payer: KeyPairSigner, owner: Address, mint: Address, tokenProgram: Address = TOKEN_PROGRAM_ADDRESS) =>
    getCreateAssociatedTokenIdempotentInstruction({ payer, ata: await tokenAccount(owner, mint, tokenProgram), owner, mint, tokenProgram })

  return {
    rpc,
    subscriptions,
    newAccount,
    sign,
    send,
    tokenAccount,
    async payer(amount = 10n * sol) {
      const account = await newAccount()
      const signature = await rpc.requestAirdrop(account.address, lamports(amount)).send()
      for (let status; status?.confirmationStatus !== 'confirmed' && status?.confirmationStatus !== 'finalized';)
        [status] = (await rpc.getSignatureStatuses([signature]).send()).value
      return account
    },
    paySol: (from, to, amount) => send(from, [getTransferSolInstruction({ source: from, destination: to, amount })]),
    async createToken(owner, supply, program = TOKEN_PROGRAM_ADDRESS) {
      const mint = await newAccount()
      const space = getMintSize()
      const rent = await rpc.getMinimumBalanceForRentExemption(BigInt(space)).send()
      await send(owner, [
        getCreateAccountInstruction({ payer: owner, newAccount: mint, space, lamports: rent, programAddress: program }),
        getInitializeMint2Instruction({ mint: mint.address, decimals: 6, mintAuthority: owner.address }, { programAddress: program }),
        await open(owner, owner.address, mint.address, program),
        getMintToInstruction(
          { mint: mint.address, token: await tokenAccount(owner.address, mint.address, program), mintAuthority: owner, amount: supply },
          { programAddress: program },
        ),
      ])
      return mint.address
    },
    payToken: async (from, mint, to, amount, program = TOKEN_PROGRAM_ADDRESS) =>
      send(from, [
        await open(from, to, mint, program),
        getTransferCheckedInstruction(
          {
            source: await tokenAccount(from.address, mint, program),
            mint,
            destination: await tokenAccount(to, mint, program),
            authority: from,
            amount,
            decimals: 6,
          },
          { programAddress: program },
        ),
      ]),
  }
}
