import { secp256k1 } from '@noble/curves/secp256k1'
import type { HDKey } from '@scure/bip32'
import * as btc from '@scure/btc-signer'
import * as z from 'zod'
import { withDeadline } from '../../lib/with-deadline.ts'
import type { BitcoinAccount } from './bitcoin-config.ts'
import { orderKey, orderPath } from './order-key.ts'

/** Signs whatever it is given with the keys of the orders whose coins it spends, so the caller must decide what may be signed. */
export interface BitcoinSigner {
  /** Input `i` spends a coin at the address of `orderIds[i]`. Returns the finished transaction. */
  sign(unsigned: btc.Transaction, orderIds: readonly string[], signal: AbortSignal): Promise<btc.Transaction>
}

export class SignerRefused extends Error {
  override readonly name = 'SignerRefused'
  readonly code = 'remote_signer'
}

export function createBitcoinSigner(account: BitcoinAccount): BitcoinSigner {
  switch (account.kind) {
    case 'local':
      return { sign: async (unsigned, orderIds) => checked(unsigned, signedBy(account.key, unsigned, orderIds), orderIds, account.key) }
    case 'remote':
      return {
        sign: async (unsigned, orderIds, signal) => {
          const psbt = await askSigner(account.url, withKeys(account.key, unsigned, orderIds), signal)
          return checked(unsigned, psbt, orderIds, account.key)
        },
      }
    default:
      return account satisfies never
  }
}

function signedBy(account: HDKey, unsigned: btc.Transaction, orderIds: readonly string[]): btc.Transaction {
  const transaction = unsigned.clone()
  for (const [input, orderId] of orderIds.entries()) {
    const { privateKey } = orderKey(account, orderId)
    if (!privateKey) throw new Error('the account has no private key')
    transaction.signIdx(privateKey, input)
  }
  return transaction
}

/** The path of each key starts at the account, which is what the signer has (BIP 174). */
function withKeys(account: HDKey, unsigned: btc.Transaction, orderIds: readonly string[]): btc.Transaction {
  const transaction = unsigned.clone()
  for (const [input, orderId] of orderIds.entries()) {
    const { publicKey } = orderKey(account, orderId)
    if (!publicKey) throw new Error('the account has no public key')
    const path = { fingerprint: account.fingerprint, path: [...orderPath(orderId)] }
    transaction.updateInput(input, { bip32Derivation: [[publicKey, path]] })
  }
  return transaction
}

const timeoutMs = 30_000
/** A transaction that nodes relay has at most 100,000 virtual bytes. */
const mostBytes = 1_000_000
const Answer = z.object({ result: z.object({ psbt: z.base64() }) })

/** The key is in another service, which serves `walletprocesspsbt` as a node's wallet does: it takes a PSBT and gives it back signed. */
async function askSigner(url: string, unsigned: btc.Transaction, signal: AbortSignal): Promise<btc.Transaction> {
  const psbt = Buffer.from(unsigned.toPSBT(0)).toString('base64')
  const { status, text } = await withDeadline(timeoutMs, signal, async (deadline) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'walletprocesspsbt', params: [psbt] }),
      redirect: 'error',
      signal: deadline,
    })
    return { status: response.status, text: await response.text() }
  })
  if (text.length > mostBytes) throw new SignerRefused('The remote signer’s answer is too long.')
  const answer = Answer.safeParse(parseJson(text))
  if (!answer.success) throw new SignerRefused(`The remote signer answered ${status} and no signed PSBT.`)
  return btc.Transaction.fromPSBT(Buffer.from(answer.data.result.psbt, 'base64'))
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A faulty signer could return another transaction, which we would broadcast as our own, so it is compared and its signatures are verified. */
function checked(asked: btc.Transaction, signed: btc.Transaction, orderIds: readonly string[], account: HDKey): btc.Transaction {
  if (Buffer.compare(asked.unsignedTx, signed.unsignedTx) !== 0)
    throw new SignerRefused('The signer signed a different transaction from the one it was given.')
  const transaction = asked.clone()
  for (const [input, orderId] of orderIds.entries()) {
    const { publicKey } = orderKey(account, orderId)
    const signature = publicKey && signatureOf(signed, input, publicKey)
    if (!signature || !isValid(asked, input, publicKey, signature))
      throw new SignerRefused(`The signer has not signed input ${input} with the key of order ${orderId}.`)
    transaction.updateInput(input, { partialSig: [[publicKey, signature]] })
  }
  transaction.finalize()
  return transaction
}

function signatureOf(transaction: btc.Transaction, input: number, publicKey: Uint8Array): Uint8Array | undefined {
  const { partialSig, finalScriptWitness } = transaction.getInput(input)
  const isOurs = (key: Uint8Array | undefined) => key !== undefined && Buffer.compare(key, publicKey) === 0
  const partial = partialSig?.find(([key]) => isOurs(key))?.[1]
  return partial ?? (isOurs(finalScriptWitness?.[1]) ? finalScriptWitness?.[0] : undefined)
}

/** The last byte of a signature says what it covers, which has to be all of the transaction. */
function isValid(transaction: btc.Transaction, input: number, publicKey: Uint8Array, signature: Uint8Array): boolean {
  const { witnessUtxo } = transaction.getInput(input)
  if (!witnessUtxo || signature.at(-1) !== btc.SigHash.ALL) return false
  const keyScript = btc.OutScript.encode({ type: 'pkh', hash: witnessUtxo.script.slice(2) })
  const digest = transaction.preimageWitnessV0(input, keyScript, btc.SigHash.ALL, witnessUtxo.amount)
  try {
    return secp256k1.verify(signature.slice(0, -1), digest, publicKey)
  } catch {
    // It is not DER.
    return false
  }
}
