import { getAddress, type Address } from 'viem'
import { safeParse } from 'zod/mini'
import { PaymentPayload } from '../../../../src/wire/x402.ts'
import type { SignedPayment, SignedTransfer, X402Scheme } from '../../x402.ts'
import type { EvmNode } from '../evm-node.ts'
import type { EvmPayouts } from '../payouts/evm-payouts.ts'
import { codeCall } from '../rpc-calls.ts'
import { networkOf } from './network-of.ts'
import { transactionFailed } from './transaction-failed.ts'
import { deploymentCall, exceedsGasCap, transferCall } from './transfer-call.ts'
import { transferStatus } from './transfer-status.ts'
import { verify } from './verify.ts'
import { walletDeployment } from './wallet-deployment.ts'

/** Takes signed EIP-3009 transfers of the tokens that support them. */
export function evmX402(chain: EvmNode, payouts: Pick<EvmPayouts, 'enqueueCall'>): X402Scheme {
  return {
    network: networkOf(chain.id),
    transactionFailed,
    needsSignedOrder: false,
    requirements: ({ address, eip3009 }, amount, payTo, maxTimeoutSeconds) =>
      eip3009 && address !== null
        ? {
            scheme: 'exact',
            network: networkOf(chain.id),
            amount: amount.toString(),
            asset: getAddress(address as Address),
            payTo: getAddress(payTo as Address),
            maxTimeoutSeconds,
            extra: { name: eip3009.name, version: eip3009.version },
          }
        : undefined,
    read: (json) => {
      const parsed = safeParse(PaymentPayload, json)
      return parsed.success ? signedPayment(chain, payouts, parsed.data) : undefined
    },
    status: (_, signed, since, signal) => transferStatus(chain, signed, since, signal),
  }
}

function signedPayment(chain: EvmNode, payouts: Pick<EvmPayouts, 'enqueueCall'>, payload: PaymentPayload): SignedPayment {
  const call = () => transferCall(payload)
  return {
    accepted: payload.accepted,
    transfer: transferOf(payload),
    verify: (offer, { allowedFactories }, signal) => verify(chain, payload, offer, allowedFactories, signal),
    preparation: async (_, orderId, { allowedFactories, preparationGas }, signal) => {
      const deployment = deploymentCall(payload)
      if (!deployment) return undefined
      const [code] = await chain.rpc.read(signal, codeCall(payload.payload.authorization.from))
      if (code !== '0x') return undefined
      const isAllowed = allowedFactories.some((factory) => factory.trim().toLowerCase() === deployment.to)
      if (!isAllowed) return { refused: 'eip6492_factory_not_allowed' }
      return walletDeployment(chain, payouts, orderId, { ...deployment, gasCap: preparationGas })
    },
    isTooExpensive: (limits, signal) => exceedsGasCap(chain, call(), limits.transferGas, signal),
    enqueue: (tx, request, limits) => payouts.enqueueCall(tx, { ...request, ...call(), gasCap: limits.transferGas }),
  }
}

const transferOf = ({ accepted, payload: { authorization, signature } }: PaymentPayload): SignedTransfer => ({
  network: accepted.network,
  asset: accepted.asset.toLowerCase(),
  payer: authorization.from.toLowerCase(),
  nonce: authorization.nonce.toLowerCase(),
  payTo: authorization.to.toLowerCase(),
  value: BigInt(authorization.value),
  validBefore: BigInt(authorization.validBefore),
  signature: signature.toLowerCase(),
})
