import { parseTransaction, recoverTransactionAddress, type Hex, type TransactionSerializedEIP1559 } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import * as z from 'zod'
import type { EvmConfig } from './evm-config.ts'
import { numberToHex } from './rpc-calls.ts'
import { createRpc } from './rpc.ts'

/** Signs whatever it is given with the operator's key, so the caller must decide what may be signed. */
export interface Signer {
  readonly address: string
  sign(transaction: UnsignedTransaction, signal: AbortSignal): Promise<Hex>
}

export interface UnsignedTransaction {
  readonly chainId: number
  readonly nonce: number
  readonly to: string
  readonly data: string
  readonly value: bigint
  readonly gas: bigint
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
}

export function createSigner({ chainId, operator }: Pick<EvmConfig, 'chainId' | 'operator'>): Signer {
  switch (operator.kind) {
    case 'local':
      return localSigner(operator.privateKey)
    case 'remote':
      return remoteSigner(chainId, operator.url, operator.address)
    default:
      return operator satisfies never
  }
}

export function localSigner(privateKey: Hex): Signer {
  const account = privateKeyToAccount(privateKey)
  return {
    address: account.address.toLowerCase(),
    sign: (transaction) =>
      account.signTransaction({ ...transaction, type: 'eip1559', to: transaction.to as Hex, data: transaction.data as Hex }),
  }
}

const Signed = z.union([z.string(), z.object({ raw: z.string() }).transform(({ raw }) => raw)]).pipe(z.string().regex(/^0x02[0-9a-f]+$/))

/** The key is in another service (web3signer, clef or a proxy of a cloud's key service), which serves `eth_signTransaction`. */
export function remoteSigner(chainId: number, url: string, address: string): Signer {
  const rpc = createRpc(chainId, [url])
  return {
    address: address.toLowerCase(),
    sign: async (transaction, signal) => {
      const params = [toRpcTransaction(address, transaction)]
      const [raw] = await rpc.read(signal, { method: 'eth_signTransaction', params, answer: Signed })
      await checkSigned(raw as TransactionSerializedEIP1559, transaction, address)
      return raw as Hex
    },
  }
}

const toRpcTransaction = (
  from: string,
  { chainId, nonce, to, data, value, gas, maxFeePerGas, maxPriorityFeePerGas }: UnsignedTransaction,
) => ({
  type: '0x2',
  from,
  to,
  data,
  chainId: numberToHex(chainId),
  nonce: numberToHex(nonce),
  value: numberToHex(value),
  gas: numberToHex(gas),
  maxFeePerGas: numberToHex(maxFeePerGas),
  maxPriorityFeePerGas: numberToHex(maxPriorityFeePerGas),
})

/** A faulty signer could return another transaction, which we would broadcast as our own, so it is compared with the request. */
async function checkSigned(raw: TransactionSerializedEIP1559, asked: UnsignedTransaction, address: string): Promise<void> {
  const signed = parseTransaction(raw)
  const same =
    signed.chainId === asked.chainId &&
    (signed.nonce ?? 0) === asked.nonce &&
    signed.to?.toLowerCase() === asked.to.toLowerCase() &&
    (signed.data ?? '0x') === asked.data.toLowerCase() &&
    (signed.value ?? 0n) === asked.value &&
    signed.gas === asked.gas &&
    (signed.maxFeePerGas ?? 0n) === asked.maxFeePerGas &&
    (signed.maxPriorityFeePerGas ?? 0n) === asked.maxPriorityFeePerGas
  if (!same) throw new RemoteSignerRefused('The remote signer signed a different transaction from the one it was given.')
  const signer = await recoverTransactionAddress({ serializedTransaction: raw })
  if (signer.toLowerCase() !== address.toLowerCase()) {
    throw new RemoteSignerRefused(`The remote signer signed as ${signer}, not as the configured operator ${address}.`)
  }
}

export class RemoteSignerRefused extends Error {
  override readonly name = 'RemoteSignerRefused'
  readonly code = 'remote_signer'
}
