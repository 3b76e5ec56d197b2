// A second verifier of deposit addresses, written from docs/terms.md alone and without any code of ours. It reads terms as JSON (an object or a list) and prints the
// hash and the address of each: node test/chains/terms-by-the-book.mjs < terms.json
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { concat, keccak256, pad, toBytes, toHex } from 'viem'

const CODE = '0xed60c972d30927fb7f56d51fbc463def06e0adbb5fafc2c063f07ec01996a405'
const ZERO = `0x${'00'.repeat(20)}`

const text = (value) => keccak256(toBytes(value))
const number = (value) => toHex(BigInt(value), { size: 32 })
const address = (value) => pad((value ?? ZERO).toLowerCase(), { size: 32 })

const SETTLEMENT = text(
  'Settlement(uint256 chainId,address token,address recipient,address feeCollector,uint16 maxFeeBps,uint256 maxFeeFlat,bool firstOfChain)',
)
const TERMS = text(
  'Terms(uint256 version,bytes orderId,address factory,bytes32 settlements,address defaultRecipient,address guard,uint64 releaseAt)',
)

function settlementHash(settlement) {
  const words = [
    SETTLEMENT,
    number(settlement.chain_id),
    address(settlement.token),
    address(settlement.recipient),
    address(settlement.fee_collector),
    number(settlement.max_fee_bps),
    number(settlement.max_fee_flat),
    number(settlement.first_of_chain ? 1 : 0),
  ]
  return keccak256(concat(words))
}

function join(a, b) {
  return keccak256(BigInt(a) < BigInt(b) ? concat([a, b]) : concat([b, a]))
}

function rootOf(hashes) {
  let list = hashes
  while (list.length > 1) {
    const next = []
    for (let i = 0; i < list.length; i += 2) next.push(i + 1 < list.length ? join(list[i], list[i + 1]) : list[i])
    list = next
  }
  return list[0]
}

export function implied(terms) {
  const hash = keccak256(
    concat([
      TERMS,
      number(terms.version),
      text(terms.order_id),
      address(terms.factory),
      rootOf(terms.settlements.map(settlementHash)),
      address(terms.default_recipient),
      address(terms.guard),
      number(terms.release_at),
    ]),
  )
  const place = keccak256(concat(['0xff', terms.factory.toLowerCase(), hash, CODE]))
  return { hash, address: `0x${place.slice(-40)}` }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const terms of [JSON.parse(readFileSync(0, 'utf8'))].flat()) console.log(JSON.stringify(implied(terms)))
}
