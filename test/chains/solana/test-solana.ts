import { createHash, randomBytes } from 'node:crypto'
import {
  type Address,
  address,
  appendTransactionMessageInstructions,
  createKeyPairSignerFromPrivateKeyBytes,
  createTransactionMessage,
  getAddressDecoder,
  getBase58Decoder,
  getTransactionEncoder,
  type Blockhash,
  type Instruction,
  type KeyPairSigner,
  lamports,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
} from '@solana/kit'
import { getTransferSolInstruction, SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system'
import {
  getCreateAssociatedTokenIdempotentInstruction,
  getFreezeAccountInstruction,
  getMintToInstruction,
  getTransferCheckedInstruction,
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token'
import type { Ledger } from '../../../local/solana/ledger.ts'
import { answering } from '../../../local/solana/rpc/answer.ts'
import { startSolanaNode } from '../../../local/solana/start-solana-node.ts'
import { tokenBalance } from '../../../local/solana/token-balance.ts'
import { decodeTransaction, type WireTransaction } from '../../../local/solana/wire-transaction.ts'
import { addressOfKey } from '../../../server/chains/solana/signer.ts'
import { type Mint, type SolanaToken, TOKEN_2022_PROGRAM_ADDRESS } from '../../../server/chains/solana/mints.ts'
import { tokenAccount } from '../../../server/chains/solana/token-account.ts'
import type { Misbehavior } from '../../contracts/feed.ts'
import { laggingNode } from './lagging-node.ts'
import { type ExtensionName, mintAt, mintInstructions, type NewMint, requireNotes } from './mint-extensions.ts'
import { type Answer, type Call, type NodeProxy, startNodeProxy } from './node-proxy.ts'

/** A chain whose slots pass when the test says so, with a payer, a token of his, and a node that lies on request. */
export interface TestSolana {
  readonly ledger: Ledger
  readonly proxy: NodeProxy
  /** The node's own socket, which never lies. */
  readonly wsUrl: string
  readonly mint: Address
  /** The same as the chain's configuration has it. */
  readonly token: Mint
  /** Coins and the token, as the table of chains has them. */
  readonly tokens: readonly SolanaToken[]
  newAddress(): string
  /** Signs a transaction of the payer. No two are alike. */
  sign(instructions: readonly Instruction[]): Promise<WireTransaction>
  /** Signs a payment. */
  payment(token: string | null, to: string, amount: bigint): Promise<WireTransaction>
  send(wire: WireTransaction): Promise<string>
  /** Returns how much of the token somebody has. */
  tokensOf(owner: string): Promise<bigint>
  /** Returns an owner to whom the token pays nothing, because his account is frozen. */
  frozenOwner(): Promise<string>
  /** Opens an owner's account for the token, where he has coins. */
  ownerWithAccount(): Promise<KeyPairSigner>
  /** From now on the owner's account takes no transfer without a note (Token-2022). */
  requireNotes(owner: KeyPairSigner): Promise<void>
  misbehave(how: Misbehavior, to: string): () => number
  stop(): Promise<void>
}

export const finalAfter = 3
/** The operator of the tests has coins on every test chain. */
export const operatorKey = createHash('sha256').update('the operator of a test').digest()
const supply = 1_000_000_000_000n

/** The token that payers have. */
export interface TokenKind {
  readonly program?: Address
  readonly extensions?: readonly ExtensionName[]
}

/** What holds for a token holds for one of either program. */
export const tokenKinds: readonly (readonly [string, TokenKind])[] = [
  ['Solana', {}],
  ['Solana, with a token of Token-2022', { program: TOKEN_2022_PROGRAM_ADDRESS, extensions: ['metadataPointer'] }],
]

const newAddress = (): string => getAddressDecoder().decode(randomBytes(32))

export async function createTestSolana({ program = TOKEN_PROGRAM_ADDRESS, extensions = [] }: TokenKind = {}): Promise<TestSolana> {
  const node = await startSolanaNode({ slots: 'manual', finalAfter })
  const { ledger } = node
  const proxy = await startNodeProxy(answering(ledger, {}))
  const payer = await createKeyPairSignerFromPrivateKeyBytes(randomBytes(32))
  const mint = await createKeyPairSignerFromPrivateKeyBytes(randomBytes(32))
  const token = mintAt(mint.address, program)
  const shared = { chainId: 30_000_000_000_001, symbol: 'T', name: 'Token', priceId: 't' } as const
  let nonce = 0n

  async function sign(instructions: readonly Instruction[], lifetime = ledger.tip('processed').hash): Promise<WireTransaction> {
    // Two equal transactions within a block would be one.
    const different = getTransferSolInstruction({ source: payer, destination: payer.address, amount: nonce++ })
    const message = pipe(
      createTransactionMessage({ version: 0 }),
      (empty) => setTransactionMessageFeePayerSigner(payer, empty),
      (paid) => setTransactionMessageLifetimeUsingBlockhash({ blockhash: lifetime as Blockhash, lastValidBlockHeight: 2n ** 60n }, paid),
      (timed) => appendTransactionMessageInstructions([different, ...instructions], timed),
    )
    return decodeTransaction(Uint8Array.from(getTransactionEncoder().encode(await signTransactionMessageWithSigners(message))))!
  }
  async function send(wire: WireTransaction): Promise<string> {
    await ledger.submit(wire)
    return wire.signature!
  }
  async function payment(token: string | null, to: string, amount: bigint): Promise<WireTransaction> {
    // A block that a fork keeps makes the payment valid on both sides of it.
    const old = ledger.tip('finalized').hash
    if (token === null) return sign([getTransferSolInstruction({ source: payer, destination: address(to), amount })], old)
    const owner = address(to)
    const of = mintAt(address(token), program)
    const [source, destination] = [await tokenAccount(payer.address, of), await tokenAccount(to, of)]
    return sign(
      [
        getCreateAssociatedTokenIdempotentInstruction({ payer, ata: destination, owner, mint: of.address, tokenProgram: program }),
        getTransferCheckedInstruction(
          { source, mint: of.address, destination, authority: payer, amount, decimals: 6 },
          { programAddress: program },
        ),
      ],
      old,
    )
  }

  for (const rich of [payer.address, addressOfKey(operatorKey)]) give(ledger, rich)
  await send(await sign(await newMint(payer, { mint, program, extensions, decimals: 6, rent: ledger.rent })))
  ledger.advance(finalAfter + 2)
  return {
    ledger,
    proxy,
    wsUrl: node.wsUrl,
    mint: mint.address,
    token,
    tokens: [null, mint.address].map((of) => ({ ...shared, address: of, decimals: of === null ? 9 : 6, ...(of !== null && { program }) })),
    newAddress,
    sign,
    payment,
    send,
    async tokensOf(owner) {
      const account = ledger.account(await tokenAccount(owner, token), 'processed')
      return tokenBalance(account, (of) => ledger.account(of, 'processed'))?.amount ?? 0n
    },
    async frozenOwner() {
      const owner = newAddress()
      const account = await tokenAccount(owner, token)
      const opening = { payer, ata: account, owner: address(owner), mint: mint.address, tokenProgram: program }
      await send(
        await sign([
          getCreateAssociatedTokenIdempotentInstruction(opening),
          getFreezeAccountInstruction({ account, mint: mint.address, owner: payer }, { programAddress: program }),
        ]),
      )
      ledger.advance(1)
      return owner
    },
    async ownerWithAccount() {
      const owner = await createKeyPairSignerFromPrivateKeyBytes(randomBytes(32))
      const opening = { payer, ata: await tokenAccount(owner.address, token), owner: owner.address, mint: mint.address }
      await send(await sign([getCreateAssociatedTokenIdempotentInstruction({ ...opening, tokenProgram: program })]))
      ledger.advance(1)
      return owner
    },
    requireNotes: async (owner) => void (await send(await sign(requireNotes(owner, await tokenAccount(owner.address, token), payer)))),
    misbehave: (how, to) => proxy.become(misbehavior(how, ledger, token, to)),
    async stop() {
      await proxy.close()
      await node.stop()
    },
  }
}

function give(ledger: Ledger, to: Address): void {
  ledger.give(to, {
    address: to,
    lamports: lamports(1_000_000_000_000n),
    data: new Uint8Array(),
    executable: false,
    programAddress: SYSTEM_PROGRAM_ADDRESS,
    space: 0n,
  })
}

async function newMint(payer: KeyPairSigner, made: NewMint): Promise<Instruction[]> {
  const { program } = made
  const mint = made.mint.address
  const token = await tokenAccount(payer.address, mintAt(mint, program))
  return [
    ...mintInstructions(payer, made),
    getCreateAssociatedTokenIdempotentInstruction({ payer, ata: token, owner: payer.address, mint, tokenProgram: program }),
    getMintToInstruction({ mint, token, mintAuthority: payer, amount: supply }, { programAddress: program }),
  ]
}

function misbehavior(how: Misbehavior, ledger: Ledger, mint: Mint, to: string): Parameters<NodeProxy['become']>[0] {
  switch (how) {
    case 'silent':
    case 'failing':
    case 'dropping':
      return how
    case 'behind':
      return laggingNode(ledger, 2)
    case 'behind every second time': {
      const lie = laggingNode(ledger, 2)
      let turn = 0
      return async (calls) => (turn++ % 2 === 0 ? lie(calls) : undefined)
    }
    case 'ahead':
      return async (calls, ask) =>
        calls.some(({ method }) => method === 'getSlot')
          ? (await ask()).map((answer, i) => (calls[i]?.method === 'getSlot' ? { ...answer, result: Number(answer.result) + 40 } : answer))
          : undefined
    case 'forked':
      return forked(ledger, mint, to)
    default:
      return how satisfies never
  }
}

/** Answers as a node on a fork of its own, on which a payment to this address was confirmed that no other node knows. */
function forked(ledger: Ledger, mint: Mint, to: string) {
  const signature = getBase58Decoder().decode(randomBytes(64))
  const { slot } = ledger.tip('confirmed')
  const status = { slot, confirmations: 1, err: null, confirmationStatus: 'confirmed' }
  const invented = {
    slot,
    blockTime: null,
    transaction: { signatures: [signature], message: { accountKeys: [to] } },
    meta: { err: null, fee: 5_000, preBalances: [0], postBalances: [77_000_000], preTokenBalances: [], postTokenBalances: [] },
  }
  return async (calls: readonly Call[], ask: () => Promise<readonly Answer[]>): Promise<readonly Answer[] | undefined> => {
    const truth = await ask()
    let hasLied = false
    const lie = (answer: Answer, result: unknown): Answer => {
      hasLied = true
      return { ...answer, result }
    }
    const account = await tokenAccount(to, mint)
    const answers = calls.map(({ method, params: [about] }, i) => {
      const answer = truth[i]!
      const list = Array.isArray(about) ? (about as unknown[]) : []
      const place = method === 'getMultipleAccounts' ? list.indexOf(to) : list.indexOf(signature)
      const { context, value } = (answer.result ?? {}) as { context: unknown; value: unknown[] }
      if (method === 'getMultipleAccounts' && place >= 0 && list.includes(account))
        return lie(answer, { context, value: value.with(place, { lamports: 77_000_000, data: ['', 'base64'] }) })
      if (method === 'getSignatureStatuses' && place >= 0) return lie(answer, { context, value: value.with(place, status) })
      if (method === 'getSignaturesForAddress' && about === to) return lie(answer, [{ signature, slot, err: null }])
      return method === 'getTransaction' && about === signature ? lie(answer, invented) : answer
    })
    return hasLied ? answers : undefined
  }
}
