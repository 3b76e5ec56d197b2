import { decodeFunctionResult, domainSeparator, erc20Abi, hexToString, toFunctionSelector, type Address, type Hex } from 'viem'
import type { Token } from '../chain.ts'
import { codeCall, ethCall } from './rpc-calls.ts'
import { type Attempt, isRevert, requireValue, type Rpc } from './rpc.ts'

/** The chain says something else of a token than we do. `isRefused` is true where payments would be lost or counted wrongly. */
export interface Difference {
  readonly message: string
  readonly isRefused: boolean
}

export type ComparedToken = Pick<Token, 'symbol' | 'decimals' | 'eip3009'> & { readonly address: string }

const tokensPerRequest = 10
const decimalsSelector = toFunctionSelector('decimals()')
const symbolSelector = toFunctionSelector('symbol()')
const domainSelector = toFunctionSelector('DOMAIN_SEPARATOR()')

export async function compareTokens(rpc: Rpc, tokens: readonly ComparedToken[], signal: AbortSignal): Promise<Difference[][]> {
  const found: Difference[][] = []
  for (let start = 0; start < tokens.length; start += tokensPerRequest) {
    const part = tokens.slice(start, start + tokensPerRequest)
    const answers = await rpc.attempt(signal, ...part.flatMap(({ address }) => callsOf(address)))
    part.forEach((token, at) => {
      const [code, decimals, symbol, domain] = answers.slice(at * 4, at * 4 + 4).map((answer) => answerOf(rpc.chainId, answer))
      found.push(differencesOf(rpc.chainId, token, { code, decimals, symbol, domain }))
    })
  }
  return found
}

const callsOf = (to: string) => [
  codeCall(to),
  ...[decimalsSelector, symbolSelector, domainSelector].map((data) => ethCall({ to, data }, 'latest')),
]

/** A contract without the function reverts, or returns nothing. Any other error says nothing about the contract. */
function answerOf(chainId: number, answer: Attempt<Hex>): Hex | undefined {
  if ('error' in answer && isRevert(answer.error)) return undefined
  const value = requireValue(chainId, answer)
  return value === '0x' ? undefined : value
}

type Answers = Readonly<Record<'code' | 'decimals' | 'symbol' | 'domain', Hex | undefined>>

function differencesOf(chainId: number, token: ComparedToken, { code, decimals, symbol, domain }: Answers): Difference[] {
  const name = `${token.symbol} ${token.address}`
  if (code === undefined) return [{ message: `${name} has no code`, isRefused: true }]
  const found: Difference[] = []
  const add = (message: string, isRefused: boolean) => found.push({ message: `${name} ${message}`, isRefused })
  if (decimals === undefined) add('does not say its decimals', false)
  else if (BigInt(decimals) !== BigInt(token.decimals)) add(`has ${BigInt(decimals)} decimals, not ${token.decimals}`, true)
  // Issuers rename their tokens, and the amounts stay the same.
  const called = symbol && textOf(symbol)
  if (called !== token.symbol) add(`calls itself ${JSON.stringify(called ?? '')}`, false)
  if (token.eip3009) {
    const expected = domainSeparator({ domain: { ...token.eip3009, chainId, verifyingContract: token.address as Address } })
    if (domain === undefined) add('does not say its EIP-712 domain', false)
    else if (domain !== expected)
      add(`has another EIP-712 domain than ${JSON.stringify(token.eip3009)}, so no signed payment would be valid`, true)
  }
  return found
}

/** Some old tokens return their symbol as bytes32. */
function textOf(data: Hex): string | undefined {
  try {
    return data.length === 66 ? hexToString(data, { size: 32 }) : decodeFunctionResult({ abi: erc20Abi, functionName: 'symbol', data })
  } catch {
    return undefined
  }
}
