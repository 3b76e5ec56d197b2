import { privateKeyToAddress } from 'viem/accounts'
import * as z from 'zod'
import { canonicalIn, canonicalToken } from '../../src/wire/addresses/canonical.ts'
import { codecs } from '../../src/wire/addresses/codecs.ts'
import { chains, type ChainId } from '../../src/wire/chain.ts'
import { nativeCoin } from '../../src/wire/native-coin.ts'
import { FiatCurrency } from '../../src/wire/currency.ts'
import type { Token } from './chain.ts'
import { factoryOf } from './evm/factory.ts'
import { type GuardPolicy, membersBesideService, policyOf } from './guard-policy.ts'
import type { TokenRow } from './presets/preset.ts'
import { presetOf } from './presets/presets.ts'

/** A local key comes from an environment variable, so that the table of chains never contains it. A remote key never leaves its service. */
export type OperatorKey =
  | { readonly kind: 'local'; readonly privateKey: `0x${string}` }
  | { readonly kind: 'remote'; readonly url: string; readonly address: string }

/** Whoever signs for refunds and conversions, with a key in an environment variable or as a process of its own. All chains have the same. */
export type GuardConfig =
  | { readonly kind: 'local'; readonly privateKey: `0x${string}`; readonly address: string; readonly policy: GuardPolicy }
  | { readonly kind: 'remote'; readonly url: string; readonly token: string; readonly address: string }

export interface ChainConfig {
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
  /** Settlements convert through this router. */
  readonly exchange?: string
}

export class ChainTableInvalid extends Error {
  override readonly name = 'ChainTableInvalid'
  readonly code = 'chain_table_invalid'

  constructor(readonly issues: readonly { readonly path: string; readonly message: string }[]) {
    super(
      `The table of chains has ${issues.length === 1 ? 'a mistake' : `${issues.length} mistakes`}:\n${issues.map(({ path, message }) => `  ${path}: ${message}`).join('\n')}`,
    )
  }
}

const Address = z.string().transform((text, context) => {
  const address = codecs.evm.addressesOn('main').read(text)
  if (address === undefined) context.addIssue('must be an EVM address (0x and 40 hex digits)')
  return address ?? z.NEVER
})
const Url = z.url({ protocol: /^https?$/, error: 'must be an http(s) URL' })
const Positive = z.int('must be a whole number').min(1, 'must be at least 1')

const TokenEntry = z.strictObject({
  address: Address.nullable(),
  symbol: z.string().min(1),
  name: z.string().min(1),
  decimals: z.int().min(0).max(36),
  price_id: z.string().min(1).optional(),
  peg: z.enum(FiatCurrency.options, 'must be a fiat unit such as "usd"').optional(),
  eip3009: z.strictObject({ name: z.string(), version: z.string() }).optional(),
})

const GivenEntry = z.strictObject({
  chain_id: z
    .int()
    .refine((id) => Object.hasOwn(chains, id) && chains[id as ChainId].family === 'evm', 'is not an EVM chain that Till knows'),
  rpc_url: z.union([Url, z.array(Url).min(1, 'must name a node')]),
  require_second_node: z.boolean().default(false),
  confirmations: Positive.optional(),
  block_seconds: z.number().positive('must be more than 0').optional(),
  tokens: z.array(TokenEntry).min(1, 'must name a token (address null is the native coin)').optional(),
  operator: z.union(
    [z.strictObject({ env: z.string().min(1) }), z.strictObject({ remote_signer_url: Url, address: Address })],
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
  exchange: Address.optional(),
})

/** What an entry leaves out comes from the chain's preset. */
const Entry = GivenEntry.transform((given) => {
  const { confirmations, tokens } = presetOf(given.chain_id)
  return {
    ...given,
    confirmations: given.confirmations ?? confirmations.blocks,
    tokens: given.tokens ?? tokens.map((token) => tokenEntryOf(given.chain_id, token)),
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

const GuardEntry = z.union(
  [
    z.strictObject({ env: z.string().min(1), ...membersBesideService }),
    z.strictObject({ url: Url, token_env: z.string().min(1), address: Address }),
  ],
  'must be {"env": "NAME"}, with limits as docs/guard.md says, or {"url": "…", "token_env": "NAME", "address": "0x…"}',
)

/** Owner and guard are named once for all chains, because an order's deposit address must be the same on all of them. */
const Table = z.strictObject({ owner: Address, guard: GuardEntry.optional(), chains: z.array(Entry).min(1, 'must name a chain') })

/** Parses the JSON of TILL_CHAINS. An error lists all mistakes against the schema with their paths or, if none, all contradictions. */
export function parseChainTable(json: unknown, env: Readonly<Record<string, string | undefined>>): ChainConfig[] {
  const parsed = Table.safeParse(json)
  if (!parsed.success) {
    throw new ChainTableInvalid(parsed.error.issues.map(({ path, message }) => ({ path: pathText(path), message })))
  }
  const issues = findContradictions(parsed.data, env)
  if (issues.length > 0) throw new ChainTableInvalid(issues)
  const { owner, guard, chains: entries } = parsed.data
  const shared = {
    factory: { address: factoryOf(owner).address, owner },
    ...(guard && { guard: toGuard(guard, env) }),
  }
  return entries.map((entry) => toConfig(entry, shared, env))
}

type Table = z.output<typeof Table>
type Entry = z.output<typeof Entry>
type GuardEntry = z.output<typeof GuardEntry>
type Env = Readonly<Record<string, string | undefined>>

function findContradictions(table: Table, env: Env): { path: string; message: string }[] {
  const issues: { path: string; message: string }[] = []
  table.chains.forEach((entry, i) => {
    const at = `chains[${i}]`
    const addIssue = (path: string, message: string) => issues.push({ path: `${at}.${path}`, message })
    if (table.chains.findIndex((other) => other.chain_id === entry.chain_id) < i) addIssue('chain_id', 'is listed twice')
    const urls = [entry.rpc_url].flat()
    if (new Set(urls).size < urls.length) addIssue('rpc_url', 'names a node twice')
    if (entry.require_second_node && urls.length < 2) addIssue('require_second_node', 'needs two nodes in rpc_url')
    entry.tokens.forEach((token, j) => {
      const twice = (same: (other: typeof token) => boolean) => entry.tokens.findIndex(same) < j
      if (twice((other) => other.address === token.address)) addIssue(`tokens[${j}].address`, 'is listed twice')
      const native = nativeCoin(entry.chain_id as ChainId)
      if (token.address === null && token.decimals !== native.decimals)
        addIssue(`tokens[${j}].decimals`, `must be ${native.decimals}, as the native coin has`)
      if (token.address === null && token.eip3009) addIssue(`tokens[${j}].eip3009`, 'is for tokens, not for the native coin')
    })
    if ('env' in entry.operator && !isPrivateKey(env[entry.operator.env])) {
      addIssue('operator.env', `the environment variable ${entry.operator.env} must hold a private key (0x and 64 hex digits)`)
    }
  })
  return [...issues, ...guardContradictions(table, env)]
}

/** One key that both sends and approves could move money anywhere. */
function guardContradictions({ owner, guard, chains: entries }: Table, env: Env): { path: string; message: string }[] {
  if (!guard) return []
  if ('env' in guard && !isPrivateKey(env[guard.env]))
    return [{ path: 'guard.env', message: `the environment variable ${guard.env} must hold a private key (0x and 64 hex digits)` }]
  if ('token_env' in guard && !isGuardToken(env[guard.token_env]))
    return [
      {
        path: 'guard.token_env',
        message: `the environment variable ${guard.token_env} must hold the guard's token of 32 characters or more`,
      },
    ]
  const { address } = toGuard(guard, env)
  const path = 'env' in guard ? 'guard.env' : 'guard.address'
  const operators = entries.filter(({ operator }) => operatorAddress(operator, env) === address)
  return [
    ...(address === owner ? [{ path, message: 'is the factory’s owner: the guard needs a key of its own' }] : []),
    ...operators.map(({ chain_id }) => ({ path, message: `is the operator of chain ${chain_id}: the guard needs a key of its own` })),
  ]
}

export const isGuardToken = (text: string | undefined): boolean => text !== undefined && /^[\x21-\x7e]{32,200}$/.test(text)

function toGuard(guard: GuardEntry, env: Env): GuardConfig {
  if ('url' in guard)
    return { kind: 'remote', url: guard.url.replace(/\/$/, ''), token: env[guard.token_env] ?? '', address: guard.address }
  const privateKey = env[guard.env] as `0x${string}`
  return { kind: 'local', privateKey, address: addressOfKey(privateKey), policy: policyOf(guard) }
}

const addressOfKey = (privateKey: `0x${string}`): string => canonicalIn('evm', privateKeyToAddress(privateKey))

function operatorAddress(operator: Entry['operator'], env: Env): string | undefined {
  if (!('env' in operator)) return operator.address
  const key = env[operator.env]
  return isPrivateKey(key) ? addressOfKey(key) : undefined
}

function toConfig(entry: Entry, shared: Pick<ChainConfig, 'factory' | 'guard'>, env: Env): ChainConfig {
  const chainId = entry.chain_id as ChainId
  return {
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
    ...(entry.exchange && { exchange: entry.exchange }),
  }
}

function toOperator(operator: Entry['operator'], env: Env): OperatorKey {
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

const pathText = (path: readonly PropertyKey[]) =>
  path.map((part, i) => (typeof part === 'number' ? `[${part}]` : i === 0 ? String(part) : `.${String(part)}`)).join('') || 'the file'
