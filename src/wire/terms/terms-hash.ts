import { merkleRoot } from './merkle.ts'
import type { OrderTerms, TermsSettlement } from './order-terms.ts'
import { addressWord, hashOf, hashOfText, numberWord, type Word } from './words.ts'

/** TillFactory.sol computes the same (EIP-712 struct hashes). docs/terms.md describes it byte by byte. */

const settlementType = hashOfText(
  'Settlement(uint256 chainId,address token,address recipient,address feeCollector,uint16 maxFeeBps,uint256 maxFeeFlat,bool firstOfChain)',
)
const termsType = hashOfText(
  'Terms(uint256 version,bytes orderId,address factory,bytes32 settlements,address defaultRecipient,address guard,uint64 releaseAt)',
)

export const settlementHash = (settlement: TermsSettlement): Word =>
  hashOf(
    settlementType +
      numberWord(settlement.chain_id) +
      addressWord(settlement.token) +
      addressWord(settlement.recipient) +
      addressWord(settlement.fee_collector) +
      numberWord(settlement.max_fee_bps) +
      numberWord(BigInt(settlement.max_fee_flat)) +
      numberWord(settlement.first_of_chain ? 1 : 0),
  )

export const settlementsRoot = ({ settlements }: Pick<OrderTerms, 'settlements'>): Word => merkleRoot(settlements.map(settlementHash))

export const orderIdHash = ({ order_id }: Pick<OrderTerms, 'order_id'>): Word => hashOfText(order_id)

export const termsHash = (terms: OrderTerms): Word =>
  hashOf(
    termsType +
      numberWord(terms.version) +
      orderIdHash(terms) +
      addressWord(terms.factory) +
      settlementsRoot(terms) +
      addressWord(terms.default_recipient) +
      addressWord(terms.guard) +
      numberWord(terms.release_at),
  )

/** The hash of the init code of Forwarder.sol. */
const forwarderCodeHash = 'ed60c972d30927fb7f56d51fbc463def06e0adbb5fafc2c063f07ec01996a405'

/** Returns the address that the terms imply (CREATE2), in lower case. */
export const termsAddress = (terms: OrderTerms): string => depositAddressOf(terms.factory, termsHash(terms))

export const depositAddressOf = (factory: string, hash: Word): string =>
  `0x${hashOf(`ff${addressWord(factory).slice(24)}${hash}${forwarderCodeHash}`).slice(24)}`
