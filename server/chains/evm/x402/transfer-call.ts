import { type Address, encodeFunctionData, type Hex, parseAbi, parseErc6492Signature, zeroAddress } from 'viem'
import type { PaymentPayload } from '../../../../src/wire/x402.ts'
import type { Call } from '../call.ts'
import { gasCall } from '../rpc-calls.ts'
import type { EvmNode } from '../evm-node.ts'
import { isOutOfGas } from '../payouts/simulate.ts'

const abi = parseAbi([
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)',
])

/** An ECDSA signature uses the overload with v, r and s. Any other uses the one with bytes, which calls the payer's contract (ERC-1271). */
export function transferCall({ accepted, payload: { authorization, signature: given } }: PaymentPayload): Call {
  const { signature } = parseErc6492Signature(given as Hex)
  const args = [
    authorization.from.toLowerCase() as Address,
    authorization.to.toLowerCase() as Address,
    BigInt(authorization.value),
    BigInt(authorization.validAfter),
    BigInt(authorization.validBefore),
    authorization.nonce as Hex,
  ] as const
  const [, r, s, v] = /^0x([0-9a-f]{64})([0-9a-f]{64})(1[bc])$/i.exec(signature) ?? []
  const functionName = 'transferWithAuthorization'
  const data =
    r && s && v
      ? encodeFunctionData({ abi, functionName, args: [...args, Number.parseInt(v, 16), `0x${r}`, `0x${s}`] })
      : encodeFunctionData({ abi, functionName, args: [...args, signature] })
  return { to: accepted.asset.toLowerCase(), data, value: 0n }
}

/** Returns the call that deploys the payer's contract wallet, if the signature contains one (ERC-6492). */
export function deploymentCall({ payload: { signature } }: PaymentPayload): Call | undefined {
  const { address, data } = parseErc6492Signature(signature as Hex)
  return address === undefined || address === zeroAddress || data === undefined ? undefined : { to: address.toLowerCase(), data, value: 0n }
}

/**
 * A contract with too little gas may revert instead of running out, so the node simulates the call with the cap and with four times the
 * cap, which also bounds how long it runs the payer's code. The sending queue detects every other problem before it signs.
 */
export async function exceedsGasCap(chain: EvmNode, call: Call, cap: bigint, signal: AbortSignal): Promise<boolean> {
  const asked = { from: chain.signer.address, ...call }
  const answers = await chain.rpc
    .attempt(signal, gasCall({ ...asked, gas: cap }, 'latest'), gasCall({ ...asked, gas: 4n * cap }, 'latest'))
    .catch((): undefined => undefined)
  if (!answers) return false
  const [capped, free] = answers
  if ('value' in capped) return capped.value > cap
  return isOutOfGas(capped.error) || ('value' in free ? free.value > cap : isOutOfGas(free.error))
}
