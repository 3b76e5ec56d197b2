import { encodeFunctionData, getAbiItem, toFunctionSelector, zeroAddress, type Address, type Hex } from 'viem'
import { merklePath } from '../../../src/wire/terms/merkle.ts'
import type { OrderTerms, TermsSettlement } from '../../../src/wire/terms/order-terms.ts'
import { orderIdHash, settlementHash, settlementsRoot } from '../../../src/wire/terms/terms-hash.ts'
import type { Move } from '../guard.ts'
import type { Call } from './call.ts'
import { TillFactory } from './contracts/artifacts/TillFactory.ts'

/** These are the calls of TillFactory.sol that move money. Null is the native coin. */

const { abi } = TillFactory
const orNative = (token: string | null) => (token ?? zeroAddress) as Address
const addressOf = (text: string) => text as Address

export interface Settling {
  readonly terms: OrderTerms
  readonly chainId: number
  readonly token: string | null
  readonly toRecipient: bigint
  readonly fee: bigint
}

export type ApprovedMove = Move & { readonly signature: Hex }

const callOf = ({ factory }: OrderTerms, data: Hex): Call => ({ to: factory.toLowerCase(), data, value: 0n })

export const settleCall = (settling: Settling): Call =>
  callOf(
    settling.terms,
    encodeFunctionData({ abi, functionName: 'settle', args: [usedTerms(settling), settling.toRecipient, settling.fee] }),
  )

/** Joins calls of `settle` to one factory. */
export function settleBatchCall(calls: readonly Call[]): Call {
  const [first] = calls
  if (!first) throw new Error('A batch has an order.')
  return {
    to: first.to,
    data: encodeFunctionData({ abi, functionName: 'settleBatch', args: [calls.map(({ data }) => data as Hex)] }),
    value: 0n,
  }
}

export const refundCall = (terms: OrderTerms, move: ApprovedMove): Call =>
  callOf(
    terms,
    encodeFunctionData({
      abi,
      functionName: 'refund',
      args: [
        agreementOf(terms),
        `0x${settlementsRoot(terms)}`,
        orNative(move.tokenIn),
        move.legs.map(({ to, amount }) => ({ to: addressOf(to), amount })),
        approvalOf(move),
      ],
    }),
  )

export function convertCall(terms: OrderTerms, chainId: number, move: ApprovedMove): Call {
  if (!move.conversion) throw new Error('This move converts nothing.')
  const { amountIn, leastOut, router, data } = move.conversion
  return callOf(
    terms,
    encodeFunctionData({
      abi,
      functionName: 'convert',
      args: [
        usedTerms({ terms, chainId, token: move.tokenOut }),
        { token: orNative(move.tokenIn), amount: amountIn, leastOut, router: addressOf(router), data },
        move.legs[0]?.amount ?? 0n,
        approvalOf(move),
      ],
    }),
  )
}

const convertSelector = toFunctionSelector(getAbiItem({ abi, name: 'convert' }))

export const converts = ({ data }: Pick<Call, 'data'>): boolean => data.startsWith(convertSelector)

export const releaseCall = (settlement: Pick<Settling, 'terms' | 'chainId' | 'token'>): Call =>
  callOf(settlement.terms, encodeFunctionData({ abi, functionName: 'release', args: [usedTerms(settlement)] }))

export const releaseOtherCall = (terms: OrderTerms, token: string | null): Call =>
  callOf(
    terms,
    encodeFunctionData({
      abi,
      functionName: 'releaseOther',
      args: [agreementOf(terms), terms.settlements.map(settlementArgs), orNative(token)],
    }),
  )

const approvalOf = ({ nonce, deadline, signature }: ApprovedMove) => ({ nonce, deadline, signature })

const agreementOf = (terms: OrderTerms) => ({
  order: `0x${orderIdHash(terms)}` as const,
  defaultRecipient: addressOf(terms.default_recipient),
  guard: addressOf(terms.guard),
  releaseAt: BigInt(terms.release_at),
})

const settlementArgs = (settlement: TermsSettlement) => ({
  chainId: BigInt(settlement.chain_id),
  token: orNative(settlement.token),
  recipient: addressOf(settlement.recipient),
  feeCollector: addressOf(settlement.fee_collector),
  maxFeeBps: settlement.max_fee_bps,
  maxFeeFlat: BigInt(settlement.max_fee_flat),
  firstOfChain: settlement.first_of_chain,
})

/** Throws if the order cannot settle in this token on this chain. */
export function termsSettlement({ terms, chainId, token }: Pick<Settling, 'terms' | 'chainId' | 'token'>): TermsSettlement {
  const found = terms.settlements.find(
    (settlement) => settlement.chain_id === chainId && orNative(settlement.token).toLowerCase() === orNative(token).toLowerCase(),
  )
  if (!found) throw new Error(`The terms of order ${terms.order_id} name no settlement in ${token} on chain ${chainId}.`)
  return found
}

function usedTerms(used: Pick<Settling, 'terms' | 'chainId' | 'token'>) {
  const { terms } = used
  const settlement = termsSettlement(used)
  const leaves = terms.settlements.map(settlementHash)
  return {
    agreement: agreementOf(terms),
    settlement: settlementArgs(settlement),
    path: merklePath(leaves, terms.settlements.indexOf(settlement)).map((word) => `0x${word}` as const),
  }
}
