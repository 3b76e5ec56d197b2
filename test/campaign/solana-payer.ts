import {
  address,
  type Base64EncodedWireTransaction,
  createKeyPairSignerFromBytes,
  getBase58Encoder,
  getSignatureFromTransaction,
  type Instruction,
  type Signature,
} from '@solana/kit'
import { getTransferSolInstruction } from '@solana-program/system'
import { getCreateAssociatedTokenIdempotentInstruction, getTransferCheckedInstruction } from '@solana-program/token'
import type { SolanaWallet } from '../../local/solana/accounts.ts'
import { type SolanaWallets, wireOf } from '../support/wallets/solana-wallet.ts'
import { until } from '../support/wait.ts'

/** A payer's wallet by the official client. It sends again what a fork or a node has lost. */
export interface SolanaPayer {
  /** Resolves once the cluster has finalized the payment, which is signed anew after it has expired. A null token is the coin. */
  pay(token: string | null, to: string, amount: bigint): Promise<Signature>
  /** Sends a payment once that names the open block, so a fork that drops this block makes the payment impossible for good. */
  payInOpenBlock(token: string | null, to: string, amount: bigint): Promise<Signature>
}

interface Sent {
  readonly signature: Signature
  readonly wire: Base64EncodedWireTransaction
  readonly lastValidBlockHeight: bigint
}

const decimals = 6
const patienceMs = 90_000

export async function createSolanaPayer({ rpc, sign, tokenAccount }: SolanaWallets, { secret }: SolanaWallet): Promise<SolanaPayer> {
  const owner = await createKeyPairSignerFromBytes(getBase58Encoder().encode(secret))
  let payments = 0n

  async function instructionsOf(token: string | null, to: string, amount: bigint): Promise<readonly Instruction[]> {
    // Two equal transactions within a block would be one.
    const different = getTransferSolInstruction({ source: owner, destination: owner.address, amount: ++payments })
    if (token === null) return [different, getTransferSolInstruction({ source: owner, destination: address(to), amount })]
    const mint = address(token)
    const [source, destination] = await Promise.all([tokenAccount(owner.address, mint), tokenAccount(address(to), mint)])
    return [
      different,
      getCreateAssociatedTokenIdempotentInstruction({ payer: owner, ata: destination, owner: address(to), mint }),
      getTransferCheckedInstruction({ source, mint, destination, authority: owner, amount, decimals }),
    ]
  }

  async function send(instructions: readonly Instruction[], commitment: 'processed' | 'finalized'): Promise<Sent> {
    const { value: lifetime } = await rpc.getLatestBlockhash({ commitment }).send()
    const signed = await sign(owner, instructions, lifetime)
    const sent = { signature: getSignatureFromTransaction(signed), wire: wireOf(signed), ...lifetime }
    await broadcast(sent)
    return sent
  }

  const broadcast = ({ wire }: Sent) => rpc.sendTransaction(wire, { encoding: 'base64', skipPreflight: true, maxRetries: 0n }).send()

  async function fateOf(sent: Sent): Promise<'finalized' | 'expired' | undefined> {
    // The height is asked first, so that what is in no block afterwards was in none up to that height.
    const height = await rpc.getBlockHeight({ commitment: 'finalized' }).send()
    const [status] = (await rpc.getSignatureStatuses([sent.signature]).send()).value
    if (status?.err) throw new Error(`${sent.signature} failed`)
    if (status) return status.confirmationStatus === 'finalized' ? 'finalized' : undefined
    if (height > sent.lastValidBlockHeight) return 'expired'
    await broadcast(sent)
    return undefined
  }

  return {
    async pay(token, to, amount) {
      const instructions = await instructionsOf(token, to, amount)
      for (;;) {
        // A block that is final stays whichever fork wins, so the payment is valid on all of them.
        const sent = await send(instructions, 'finalized')
        const what = `${sent.signature} is final or has expired`
        if ((await until(() => fateOf(sent), { timeout: patienceMs, every: 100, what })) === 'finalized') return sent.signature
      }
    },
    payInOpenBlock: async (token, to, amount) => (await send(await instructionsOf(token, to, amount), 'processed')).signature,
  }
}
