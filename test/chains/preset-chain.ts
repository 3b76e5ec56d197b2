import { concatHex, domainSeparator, encodeAbiParameters, numberToHex, size, toFunctionSelector, type Address, type Hex } from 'viem'
import type { Anvil } from '../../local/chains/anvil.ts'
import type { Preset } from '../../server/chains/presets/preset.ts'

/** Makes a local chain answer as a preset says its chain does. No contract there does anything but answer. */
export async function becomeLike(anvil: Anvil, { chainId, contracts, tokens, feeds, sequencer }: Preset): Promise<void> {
  const codes: (readonly [address: string, code: Hex])[] = [
    ...[...Object.values(contracts), ...(sequencer ? [sequencer] : [])].map(({ address }) => [address, '0x00'] as const),
    ...feeds.map(({ address, decimals, pair }) => [address, answering({ decimals: uint(decimals), description: text(pair) })] as const),
    ...tokens.flatMap(({ address, symbol, decimals, eip3009 }) =>
      address === null ? [] : [[address, tokenCode({ chainId, address, symbol, decimals, eip3009 })] as const],
    ),
  ]
  await anvil.ask(...codes.map(([address, code]) => ['anvil_setCode', address, code] as const))
}

export interface TokenAnswers {
  readonly chainId: number
  readonly address: string
  readonly symbol: string
  readonly decimals: number
  readonly eip3009?: { readonly name: string; readonly version: string } | undefined
}

export function tokenCode({ chainId, address, symbol, decimals, eip3009 }: TokenAnswers): Hex {
  const domain = eip3009 && domainSeparator({ domain: { ...eip3009, chainId, verifyingContract: address as Address } })
  return answering({ decimals: uint(decimals), symbol: text(symbol), ...(domain && { DOMAIN_SEPARATOR: domain }) })
}

export const uint = (value: number): Hex => numberToHex(value, { size: 32 })
export const text = (value: string): Hex => encodeAbiParameters([{ type: 'string' }], [value])

/** Assembles a contract that returns fixed data for each of these functions, and reverts for all others. */
export function answering(answers: Readonly<Record<string, Hex>>): Hex {
  const entries = Object.entries(answers)
  const two = (value: number) => numberToHex(value, { size: 2 })
  // Every part has a fixed length: 6 bytes load the selector, 11 compare one, 5 revert, and 16 return one answer.
  const bodies = 6 + 11 * entries.length + 5
  const data = bodies + 16 * entries.length
  const offsets = entries.map((_, at) => data + entries.slice(0, at).reduce((sum, [, answer]) => sum + size(answer), 0))
  return concatHex([
    '0x60003560e01c', // PUSH1 0, CALLDATALOAD, PUSH1 0xe0, SHR
    ...entries.map(([name], at): Hex => concatHex(['0x8063', toFunctionSelector(`${name}()`), '0x1461', two(bodies + 16 * at), '0x57'])), // DUP1, PUSH4, EQ, PUSH2, JUMPI
    '0x60006000fd', // REVERT(0, 0)
    ...entries.map(([, answer], at): Hex =>
      concatHex(['0x5b61', two(size(answer)), '0x61', two(offsets[at]!), '0x60003961', two(size(answer)), '0x6000f3']),
    ), // JUMPDEST, CODECOPY, RETURN
    ...entries.map(([, answer]) => answer),
  ])
}
