import { privateKeyToAddress } from 'viem/accounts'
import * as z from 'zod'
import { canonicalIn, canonicalToken } from '../../../src/wire/addresses/canonical.ts'
import { codecs } from '../../../src/wire/addresses/codecs.ts'
import { ChainId } from '../../../src/wire/chain.ts'
import { FiatCurrency } from '../../../src/wire/currency.ts'
import { nativeCoin } from '../../../src/wire/native-coin.ts'
import type { Token } from '../chain.ts'
import type { GuardPolicy } from '../guard-policy.ts'
import type { TokenRow } from '../presets/preset.ts'
import { presetOf } from '../presets/presets.ts'
import { type Env, type Mistake, Positive, Url } from '../table-entry.ts'
import type { Exchange } from './exchange/exchange.ts'
import { presetExchange } from './exchange/preset-exchange.ts'

/** A local key comes from an environment variable, so that the table of chains never contains it. A remote key never leaves its service. */
export type OperatorKey =
  | { readonly kind: 'local'; readonly privateKey: `0x${string}` }
  | { readonly kind: 'remote'; readonly url: string; readonly address: string }

/** Whoever signs for refunds and conversions, with a key in an environment variable or as a process of its own. All EVM chains have the same. */
export type GuardConfig =
  | { readonly kind: 'local'; readonly privateKey: `0x${string}`; readonly address: string; readonly policy: GuardPolicy }
  | { readonly kind: 'remote'; readonly url: string; readonly token: string; readonly address: string }

export interface EvmConfig {
  readonly family: 'evm'
  readonly chainId: ChainId
  /** With two or more nodes, nothing is final before two of them agree. */
  readonly rpcUrls: readonly string[]
  /** Without this, one node suffices once the others have not answered for ten minutes. */
  readonly requireSecondNode: boolean
  /** A transaction is final after this many blocks, including its own. */
  readonly confirmations: number
  /** Without this the time between blocks is measured. */
  readonly blockSeconds?: number
  readonly tokens: readonly Token[]
  readonly operator: OperatorKey
  readonly factory: { readonly address: string; readonly owner: string }
  /** Without one, only organisations with a guard of their own have refunds and conversions. */
  readonly guard?: GuardConfig
  /** One request for logs covers at most this many blocks. */
  readonly maxRange: number
  readonly pollMs: number
  readonly sweepEveryBlocks: number
  readonly timeoutMs: number
  /** If the lowest pending nonce is not mined within this time, its transaction is replaced by one with higher fees. */
  readonly replaceAfterMs: number
  /** The chain allows a transaction at most this much gas (EIP-7825), and the block's own limit applies as well. */
  readonly txGasLimit: bigint
  /** The operator pays at most this much for a unit of gas, in wei, whatever a node says, and waits while the chain asks for more. */
  readonly maxFeePerGas: bigint
  /** Settlements convert through it. Without one there are no conversions. */
  readonly exchange?: Exchange
}

export const EvmAddress = z.string().transform((text, context) => {
  const address = codecs.evm.addressesOn('main').read(text)
  if (address === undefined) context.addIssue('must be an EVM address (0x and 40 hex digits)')
  return address ?? z.NEVER
})

const TokenEntry = z.strictObject({
  address: EvmAddress.nullable(),
  symbol: z.string().min(1),
  name: z.string().min(1),
  decimals: z.int().min(0).max(36),
  price_id: z.string().min(1).optional(),
  peg: z.enum(FiatCurrency.options, 'must be a fiat unit such as "usd"').optional(),
  eip3009: z.strictObject({ name: z.string(), version: z.string() }).optional(),
})

const GivenEntry = z.strictObject({
  chain_id: ChainId,
  rpc_url: z.union([Url, z.array(Url).min(1, 'must name a node')]),
  require_second_node: z.boolean().default(false),
  confirmations: Positive.optional(),
  block_seconds: z.number().positive('must be more than 0').optional(),
  tokens: z.array(TokenEntry).min(1, 'must name a token (address null is the native coin)').optional(),
  operator: z.union(
    [z.strictObject({ env: z.string().min(1) }), z.strictObject({ remote_signer_url: Url, address: EvmAddress })],
    'must be {"env": "NAME"} or {"remote_signer_url": "…", "address": "0x…"}',
  ),
  max_range: Positive.default(500),
  poll_ms: Positive.default(1000),
  sweep_every_blocks: Positive.default(20),
  timeout_ms: Positive.default(10_000),
  replace_after_ms: Positive.default(30_000),
  tx_gas_limit: z
    .int()
    .min(21_000, 'must be at least 21000')
    .default(2 ** 24),
  max_fee_gwei: z.number().positive('must be more than 0').max(1_000_000).optional(),
  exchange: z
    .union(
      [z.literal(false), z.strictObject({ router: EvmAddress, quoter: EvmAddress, factory: EvmAddress, wrapped: EvmAddress })],
      'must be false, or {"router", "quoter", "factory", "wrapped"} of a deployment of Uniswap v3',
    )
    .optional(),
})

/** What an entry leaves out comes from the chain's preset. */
export const EvmEntry = GivenEntry.transform((given) => {
  const { confirmations, tokens, maxFeeGwei } = presetOf(given.chain_id)
  return {
    ...given,
    confirmations: given.confirmations ?? confirmations.blocks,
    tokens: given.tokens ?? tokens.map((token) => tokenEntryOf(given.chain_id, token)),
    exchange: given.exchange ?? presetExchange(given.chain_id),
    max_fee_gwei: given.max_fee_gwei ?? maxFeeGwei,
  }
})

const tokenEntryOf = (
  chainId: number,
  { address, symbol, name, decimals, price_id, peg, eip3009 }: TokenRow,
): z.output<typeof TokenEntry> => ({
  address: canonicalToken(chainId, address),
  symbol,
  name,
  decimals,
  ...(price_id && { price_id }),
  ...(peg && { peg }),
  ...(eip3009 && { eip3009 }),
})

export type EvmEntry = z.output<typeof EvmEntry>

export function evmMistakes(entry: EvmEntry, env: Env): readonly Mistake[] {
  const mistakes: Mistake[] = []
  const addIssue = (path: string, message: string) => mistakes.push({ path, message })
  const urls = [entry.rpc_url].flat()
  if (new Set(urls).size < urls.length) addIssue('rpc_url', 'names a node twice')
  if (entry.require_second_node && urls.length < 2) addIssue('require_second_node', 'needs two nodes in rpc_url')
  entry.tokens.forEach((token, j) => {
    const twice = (same: (other: typeof token) => boolean) => entry.tokens.findIndex(same) < j
    if (twice((other) => other.address === token.address)) addIssue(`tokens[${j}].address`, 'is listed twice')
    const native = nativeCoin(entry.chain_id)
    if (token.address === null && token.decimals !== native.decimals)
      addIssue(`tokens[${j}].decimals`, `must be ${native.decimals}, as the native coin has`)
    if (token.address === null && token.eip3009) addIssue(`tokens[${j}].eip3009`, 'is for tokens, not for the native coin')
  })
  if ('env' in entry.operator && !isPrivateKey(env[entry.operator.env])) {
    addIssue('operator.env', `the environment variable ${entry.operator.env} must hold a private key (0x and 64 hex digits)`)
  }
  return mistakes
}

export const addressOfKey = (privateKey: `0x${string}`): string => canonicalIn('evm', privateKeyToAddress(privateKey))

export function operatorAddress({ operator }: EvmEntry, env: Env): string | undefined {
  if (!('env' in operator)) return operator.address
  const key = env[operator.env]
  return isPrivateKey(key) ? addressOfKey(key) : undefined
}

export function toEvmConfig(entry: EvmEntry, shared: Pick<EvmConfig, 'factory' | 'guard'>, env: Env): EvmConfig {
  const chainId = entry.chain_id
  return {
    family: 'evm',
    chainId,
    rpcUrls: [entry.rpc_url].flat(),
    requireSecondNode: entry.require_second_node,
    confirmations: entry.confirmations,
    ...(entry.block_seconds !== undefined && { blockSeconds: entry.block_seconds }),
    tokens: entry.tokens.map(({ price_id, ...token }) => ({ ...token, chainId, priceId: price_id ?? token.symbol })),
    operator: toOperator(entry.operator, env),
    ...shared,
    maxRange: entry.max_range,
    pollMs: entry.poll_ms,
    sweepEveryBlocks: entry.sweep_every_blocks,
    timeoutMs: entry.timeout_ms,
    replaceAfterMs: entry.replace_after_ms,
    txGasLimit: BigInt(entry.tx_gas_limit),
    maxFeePerGas: BigInt(Math.round(entry.max_fee_gwei * 1e9)),
    ...(entry.exchange && { exchange: entry.exchange }),
  }
}

function toOperator(operator: EvmEntry['operator'], env: Env): OperatorKey {
  if (!('env' in operator)) return { kind: 'remote', url: operator.remote_signer_url, address: operator.address }
  return { kind: 'local', privateKey: env[operator.env] as `0x${string}` }
}

export function isPrivateKey(text: string | undefined): text is `0x${string}` {
  if (!text || !/^0x[0-9a-fA-F]{64}$/.test(text)) return false
  try {
    addressOfKey(text as `0x${string}`)
    return true
  } catch {
    // A private key must not be zero, and must be below the curve's order.
    return false
  }
}
