/**
 * Encodes calls of Multicall3's `aggregate3((address target, bool allowFailure, bytes callData)[])`. All parts have the same length, so
 * this costs far less than a general ABI encoder when a sweep covers every open order.
 */
const aggregate3 = '82ad56cb'
const word = (value: number): string => value.toString(16).padStart(64, '0')
const pad = (hex: string): string => hex.slice(2).toLowerCase().padStart(64, '0')

/** A call takes six words: target, allowFailure, the offset of its data, the data's length, and two for 36 bytes of data. */
const callWords = 6
const [no, dataAt, dataLength] = [word(0), word(3 * 32), word(36)]

export function encodeBalanceCalls(target: string, selector: string, addresses: readonly string[]): `0x${string}` {
  const head = `${pad(target)}${no}${dataAt}${dataLength}${selector.slice(2)}`
  const offsets = addresses.map((_, index) => word((addresses.length + index * callWords) * 32))
  const calls = addresses.map((address) => `${head}${pad(address)}${'0'.repeat(56)}`)
  return `0x${aggregate3}${word(32)}${word(addresses.length)}${offsets.join('')}${calls.join('')}`
}

/** A result takes four words: success, the offset of its data, the data's length (one word), and that word. */
const answerWords = 4
const answerHead = `${word(1)}${word(2 * 32)}${word(32)}`

/** Returns undefined unless the answer consists of exactly `count` successful results of one word each. */
export function decodeBalances(answer: string, count: number): bigint[] | undefined {
  const data = answer.toLowerCase()
  const offsets = Array.from({ length: count }, (_, index) => word((count + index * answerWords) * 32))
  const head = `0x${word(32)}${word(count)}${offsets.join('')}`
  if (data.length !== head.length + count * answerWords * 64 || !data.startsWith(head)) return undefined
  const balances: bigint[] = []
  for (let at = head.length; at < data.length; at += answerWords * 64) {
    if (!data.startsWith(answerHead, at)) return undefined
    balances.push(BigInt(`0x${data.slice(at + answerHead.length, at + answerWords * 64)}`))
  }
  return balances
}
