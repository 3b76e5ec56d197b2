// The hash and the deposit address of an order's terms, by the book: written from docs/terms.md alone, by somebody who had
// not seen the project's code. Reads terms as JSON (one object or a list) and prints `<terms hash> <deposit address>` for each.
// It hashes what it is given: a value that does not fit its word is an error, but sorting and the like are not checked.
//   node terms-by-the-book.mjs < terms.json
import { readFileSync } from 'node:fs'
import { concat, isAddress, keccak256, numberToHex, pad, stringToHex } from 'viem'

const SETTLEMENT =
  'Settlement(uint256 chainId,address token,address recipient,address feeCollector,uint16 maxFeeBps,uint256 maxFeeFlat,bool firstOfChain)'
const TERMS =
  'Terms(uint256 version,bytes orderId,address factory,bytes32 settlements,address defaultRecipient,address guard,uint64 releaseAt)'
const CODE = '0xed60c972d30927fb7f56d51fbc463def06e0adbb5fafc2c063f07ec01996a405'

const hashOfText = (text) => keccak256(stringToHex(text))
const hashOfWords = (...words) => keccak256(concat(words))

// Values as bytes (in hex). A value that would not fit, or is of another kind, is refused rather than cut or guessed.

function number(value, bits = 256) {
  if (!Number.isSafeInteger(value) && !/^[0-9]+$/.test(typeof value === 'string' ? value : ''))
    throw new Error(`not a whole number: ${JSON.stringify(value)}`)
  return pad(numberToHex(BigInt(value), { size: bits / 8 }), { size: 32 })
}

function bool(value) {
  if (typeof value !== 'boolean') throw new Error(`neither true nor false: ${JSON.stringify(value)}`)
  return number(value ? 1 : 0)
}

function addressBytes(value) {
  if (!isAddress(value, { strict: false })) throw new Error(`not an address: ${JSON.stringify(value)}`)
  return value.toLowerCase()
}

const address = (value) => pad(addressBytes(value), { size: 32 })
const token = (value) => (value === null ? number(0) : address(value))

// 1. The hash of a settlement
const hashOfSettlement = (s) =>
  hashOfWords(
    hashOfText(SETTLEMENT),
    number(s.chain_id),
    token(s.token),
    address(s.recipient),
    address(s.fee_collector),
    number(s.max_fee_bps, 16),
    number(s.max_fee_flat),
    bool(s.first_of_chain),
  )

// 2. The root of the settlements. Hashes are lower-case hex of one length, so they compare as the numbers do.
const join = (a, b) => (a < b ? hashOfWords(a, b) : hashOfWords(b, a))

function rootOf(hashes) {
  if (hashes.length === 0) throw new Error('no settlements')
  if (hashes.length === 1) return hashes[0]
  const next = []
  for (let i = 0; i < hashes.length; i += 2) next.push(i + 1 < hashes.length ? join(hashes[i], hashes[i + 1]) : hashes[i])
  return rootOf(next)
}

// 3. The hash of the terms
const hashOfTerms = (terms) =>
  hashOfWords(
    hashOfText(TERMS),
    number(terms.version),
    hashOfText(terms.order_id),
    address(terms.factory),
    rootOf(terms.settlements.map(hashOfSettlement)),
    address(terms.default_recipient),
    address(terms.guard),
    number(terms.release_at, 64),
  )

// 4. The address
const addressOf = (factory, hash) => `0x${keccak256(concat(['0xff', addressBytes(factory), hash, CODE])).slice(-40)}`

const input = JSON.parse(readFileSync(0, 'utf8'))
for (const terms of Array.isArray(input) ? input : [input]) {
  const hash = hashOfTerms(terms)
  console.log(hash, addressOf(terms.factory, hash))
}
