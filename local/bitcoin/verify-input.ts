import * as btc from '@scure/btc-signer'
import { hash160 } from '@scure/btc-signer/utils.js'
import { schnorr, secp256k1 } from '@noble/curves/secp256k1'
import type { Coin } from './chain.ts'
import type { Transaction } from './transaction.ts'
import { typeOf } from './script.ts'

/** A real node's words for why an input may not spend its coin. */
type Failure = string

/**
 * Verifies every input's signature over the real hash of what it signs (BIP 143, BIP 341). Requirements:
 *
 * 1. A P2WPKH input has a signature and the key whose hash the coin names. The signature is strict DER with a low S.
 * 2. A P2TR input has one Schnorr signature by the coin's own key. Scripts and annexes are not supported.
 * 3. Any other coin can't be spent here, which is an error of its own and never a pass.
 */
export function verifyInputs(transaction: Transaction, coins: readonly Coin[]): { failure: Failure; input: number } | undefined {
  const signed = btc.Transaction.fromRaw(transaction.raw, {
    allowUnknownInputs: true,
    allowUnknownOutputs: true,
    allowUnknownVersion: true,
    disableScriptCheck: true,
  })
  for (const input of transaction.inputs.keys()) {
    const failure = verifyInput(transaction, signed, coins, input)
    if (failure !== undefined) return { failure, input }
  }
  return undefined
}

function verifyInput(transaction: Transaction, signed: btc.Transaction, coins: readonly Coin[], index: number): Failure | undefined {
  const { scriptSig, witness } = transaction.inputs[index]!
  const coin = coins[index]!
  const type = typeOf(coin.script)
  if (type !== 'witness_v0_keyhash' && type !== 'witness_v1_taproot') return unsupported(type)
  if (scriptSig.length > 0) return 'Witness requires empty scriptSig'
  if (type === 'witness_v1_taproot') return verifyTaproot(signed, coins, index, witness)
  return verifyKeyHash(signed, coin, index, witness)
}

const unsupported = (what: string): Failure => `this node can spend P2WPKH, and P2TR by its key, and not ${what}`

/** All, none and single, each also of one input alone. */
const hashTypes = new Set([1, 2, 3, 0x81, 0x82, 0x83])

function verifyKeyHash(signed: btc.Transaction, coin: Coin, index: number, witness: readonly Uint8Array[]): Failure | undefined {
  const [signature, key] = witness
  if (witness.length !== 2 || !signature || !key) return 'Witness program hash mismatch'
  const hash = coin.script.subarray(2)
  if (Buffer.compare(hash160(key), hash) !== 0) return 'Script failed an OP_EQUALVERIFY operation'
  if (signature.length === 0) return 'Script evaluated without error but finished with a false/empty top stack element'
  const parsed = parseSignature(signature.subarray(0, -1))
  if (!parsed) return 'Non-canonical DER signature'
  if (parsed.hasHighS()) return 'Non-canonical signature: S value is unnecessarily high'
  const hashType = signature.at(-1)!
  if (!hashTypes.has(hashType)) return 'Signature hash type missing or not understood'
  if (key.length !== 33) return 'Using non-compressed keys in segwit'
  const script = btc.OutScript.encode({ type: 'pkh', hash })
  const message = signed.preimageWitnessV0(index, script, hashType, coin.amount)
  return isTrue(() => secp256k1.verify(parsed, message, key)) ? undefined : 'Signature must be zero for failed CHECK(MULTI)SIG operation'
}

function verifyTaproot(
  signed: btc.Transaction,
  coins: readonly Coin[],
  index: number,
  witness: readonly Uint8Array[],
): Failure | undefined {
  const [signature] = witness
  if (!signature) return 'Witness program was passed an empty witness'
  if (witness.length > 1) return unsupported('by a script')
  if (signature.length !== 64 && signature.length !== 65) return 'Invalid Schnorr signature size'
  const hashType = signature[64] ?? 0
  const isSingleWithoutOutput = (hashType & 3) === 3 && index >= signed.outputsLength
  if ((signature.length === 65 && !hashTypes.has(hashType)) || isSingleWithoutOutput) return 'Invalid Schnorr signature hash type'
  const scripts = coins.map(({ script }) => script)
  const amounts = coins.map(({ amount }) => amount)
  const message = signed.preimageWitnessV1(index, scripts, hashType, amounts)
  const key = coins[index]!.script.subarray(2)
  return isTrue(() => schnorr.verify(signature.subarray(0, 64), message, key)) ? undefined : 'Invalid Schnorr signature'
}

function parseSignature(der: Uint8Array): ReturnType<typeof secp256k1.Signature.fromDER> | undefined {
  try {
    return secp256k1.Signature.fromDER(der)
  } catch {
    return undefined
  }
}

/** A key that is not on the curve throws, and verifies nothing. */
function isTrue(verify: () => boolean): boolean {
  try {
    return verify()
  } catch {
    return false
  }
}
