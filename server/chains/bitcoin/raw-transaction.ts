import { RawTx } from '@scure/btc-signer/script.js'
import { hash256, toId } from './hash256.ts'

export interface RawTransaction {
  readonly txid: string
  /** The outputs that it spends, as `txid:vout`. A coinbase spends none. */
  readonly inputs: readonly string[]
  readonly outputs: readonly RawOutput[]
  readonly isCoinbase: boolean
}

export interface RawOutput {
  readonly script: Uint8Array
  readonly amount: bigint
}

export type Decoded = ReturnType<typeof RawTx.decode>

const nothing = `${'00'.repeat(32)}:${0xffffffff}`

/** Returns undefined if the bytes are not one transaction. */
export function parseTransaction(raw: Uint8Array): RawTransaction | undefined {
  try {
    const decoded = RawTx.decode(raw)
    return decoded.inputs.length > 0 ? toTransaction(decoded) : undefined
  } catch {
    return undefined
  }
}

export function toTransaction(decoded: Decoded): RawTransaction {
  const inputs = decoded.inputs.map(({ txid, index }) => `${Buffer.from(txid).toString('hex')}:${index}`)
  const isCoinbase = inputs.length === 1 && inputs[0] === nothing
  return {
    // A transaction's hash does not cover its witnesses.
    txid: toId(hash256(RawTx.encode({ ...decoded, segwitFlag: false, witnesses: undefined }))),
    inputs: isCoinbase ? [] : inputs,
    outputs: decoded.outputs,
    isCoinbase,
  }
}
