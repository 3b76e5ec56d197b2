import { RawTx } from '@scure/btc-signer/script.js'
import { fromId, hash256, toHex, toId } from './bytes.ts'

export interface Input {
  readonly txid: string
  readonly index: number
  readonly scriptSig: Uint8Array
  readonly sequence: number
  readonly witness: readonly Uint8Array[]
}

export interface Output {
  readonly amount: bigint
  readonly script: Uint8Array
}

export interface Transaction {
  readonly txid: string
  /** The hash over everything, witnesses included. */
  readonly wtxid: string
  readonly version: number
  readonly lockTime: number
  readonly inputs: readonly Input[]
  readonly outputs: readonly Output[]
  readonly raw: Uint8Array
  readonly size: number
  readonly strippedSize: number
  readonly weight: number
  readonly vsize: number
}

export const outpoint = ({ txid, index }: { readonly txid: string; readonly index: number }): string => `${txid}:${index}`

const nullTxid = '00'.repeat(32)

export function isCoinbase({ inputs }: Transaction): boolean {
  return inputs.length === 1 && inputs[0]!.txid === nullTxid && inputs[0]!.index === 0xffffffff
}

/** Returns undefined if the bytes are not exactly one transaction with at least one input. */
export function decodeTransaction(raw: Uint8Array): Transaction | undefined {
  try {
    const parsed = RawTx.decode(raw)
    return parsed.inputs.length > 0 ? toTransaction(parsed) : undefined
  } catch {
    return undefined
  }
}

type Parsed = ReturnType<typeof RawTx.decode>

export function toTransaction(parsed: Parsed): Transaction {
  const raw = RawTx.encode(parsed)
  const stripped = parsed.segwitFlag ? RawTx.encode({ ...parsed, segwitFlag: false, witnesses: undefined }) : raw
  const weight = stripped.length * 3 + raw.length
  return {
    txid: toId(hash256(stripped)),
    wtxid: toId(hash256(raw)),
    version: parsed.version,
    lockTime: parsed.lockTime,
    inputs: parsed.inputs.map(({ txid, index, finalScriptSig, sequence }, i) => ({
      txid: toHex(txid),
      index,
      scriptSig: finalScriptSig,
      sequence,
      witness: parsed.witnesses?.[i] ?? [],
    })),
    outputs: parsed.outputs,
    raw,
    size: raw.length,
    strippedSize: stripped.length,
    weight,
    vsize: Math.ceil(weight / 4),
  }
}

/** The coinbase names its height first (BIP 34). Its only witness is the reserved value of the witness commitment (BIP 141). */
export function coinbase(height: number, outputs: readonly Output[]): Transaction {
  return toTransaction({
    version: 2,
    segwitFlag: true,
    inputs: [
      {
        txid: fromId(nullTxid),
        index: 0xffffffff,
        finalScriptSig: Buffer.concat([pushHeight(height), Buffer.from([0])]),
        sequence: 0xffffffff,
      },
    ],
    outputs: [...outputs],
    witnesses: [[new Uint8Array(32)]],
    lockTime: 0,
  })
}

/** A number in script: small ones are opcodes, others little-endian with a spare bit for the sign. */
function pushHeight(height: number): Buffer {
  if (height <= 16) return Buffer.from([0x50 + height])
  const bytes: number[] = []
  for (let rest = height; rest > 0; rest >>>= 8) bytes.push(rest & 0xff)
  if (bytes.at(-1)! & 0x80) bytes.push(0)
  return Buffer.from([bytes.length, ...bytes])
}
