import type { Address } from '@solana/kit'
import { ed25519 } from '@noble/curves/ed25519'
import * as z from 'zod'
import { decodeBase58 } from '../../../src/wire/addresses/base58.ts'
import { codecs } from '../../../src/wire/addresses/codecs.ts'
import { ChainId } from '../../../src/wire/chain.ts'
import { FiatCurrency } from '../../../src/wire/currency.ts'
import { nativeCoin } from '../../../src/wire/native-coin.ts'
import type { TokenRow } from '../presets/preset.ts'
import { solanaFacts, solanaPresets } from '../presets/solana.ts'
import { type SolanaToken, TOKEN_2022_PROGRAM_ADDRESS } from './mints.ts'
import { type Env, type Mistake, Positive, Url } from '../table-entry.ts'
import type { SolanaKeys } from './signer.ts'

export interface SolanaConfig {
  readonly family: 'solana'
  readonly chainId: ChainId
  /** The hash of the cluster's first block. A local cluster has one of its own, which is not checked. */
  readonly genesis?: string
  /** Subscriptions to accounts are at these, so that a payment is read before the next poll. */
  readonly wsUrls: readonly string[]
  /** With two or more nodes, nothing is final before two of them agree. */
  readonly rpcUrls: readonly string[]
  /** Without this, one node suffices once the others have not answered for ten minutes. */
  readonly requireSecondNode: boolean
  readonly tokens: readonly SolanaToken[]
  readonly keys: SolanaKeys
  /** So many addresses are made ahead of orders. */
  readonly addressesAhead: number
  /** What the cluster calls final counts as so many confirmations. */
  readonly confirmations: number
  readonly slotSeconds: number
  readonly pollMs: number
  readonly timeoutMs: number
  /** In millionths of a lamport for each compute unit. The first is always paid, and the second is never exceeded. */
  readonly unitPrice: { readonly least: bigint; readonly most: bigint }
}

export const SolanaAddress = z.string().transform((text, context): Address => {
  const address = codecs.solana.addressesOn('main').read(text)
  if (address === undefined) context.addIssue('must be a Solana address (32 bytes in base58)')
  return (address as Address | undefined) ?? z.NEVER
})

const TokenEntry = z.strictObject({
  address: SolanaAddress.nullable(),
  symbol: z.string().min(1),
  name: z.string().min(1),
  decimals: z.int().min(0).max(18),
  token_program: z.enum(['token', 'token-2022']).default('token'),
  price_id: z.string().min(1).optional(),
  peg: z.enum(FiatCurrency.options, 'must be a fiat unit such as "usd"').optional(),
})

const WsUrl = z.url({ protocol: /^wss?$/, error: 'must be a ws(s) URL' })
const EnvName = z.string().min(1)

export const SolanaEntry = z.strictObject({
  chain_id: ChainId,
  rpc_url: z.union([Url, z.array(Url).min(1, 'must name a node')]),
  /** It is derived from `rpc_url` by default, and false switches subscriptions off. */
  ws_url: z.union([WsUrl, z.array(WsUrl).min(1, 'must name a node'), z.literal(false)], 'must be a ws(s) URL, or false').optional(),
  require_second_node: z.boolean().default(false),
  tokens: z.array(TokenEntry).min(1, 'must name a token (address null is the native coin)').optional(),
  account: z.union(
    [
      z.strictObject({ seed_env: EnvName, operator_env: EnvName }),
      z.strictObject({ remote_signer_url: Url, operator: SolanaAddress, first_address: SolanaAddress }),
    ],
    'must be {"seed_env": "NAME", "operator_env": "NAME"} or {"remote_signer_url": "…", "operator": "…", "first_address": "…"}',
  ),
  /** A local cluster has the id of a public one. */
  network: z.literal('local', 'may only be "local", for a cluster of your own').optional(),
  addresses_ahead: Positive.max(100_000).default(1_000),
  min_unit_price: z.int().min(0).max(1_000_000_000).default(10_000),
  max_unit_price: z.int().min(1).max(1_000_000_000).default(2_000_000),
  poll_ms: Positive.default(1_000),
  timeout_ms: Positive.default(10_000),
})
export type SolanaEntry = z.output<typeof SolanaEntry>

export function solanaMistakes({ account, ...entry }: SolanaEntry, env: Env): readonly Mistake[] {
  const mistakes: Mistake[] = []
  const addIssue = (path: string, message: string) => mistakes.push({ path, message })
  const urls = [entry.rpc_url].flat()
  if (new Set(urls).size < urls.length) addIssue('rpc_url', 'names a node twice')
  if (entry.require_second_node && urls.length < 2) addIssue('require_second_node', 'needs two nodes in rpc_url')
  entry.tokens?.forEach(({ address, decimals }, i, tokens) => {
    if (tokens.findIndex((other) => other.address === address) < i) addIssue(`tokens[${i}].address`, 'is listed twice')
    const native = nativeCoin(entry.chain_id)
    if (address === null && decimals !== native.decimals)
      addIssue(`tokens[${i}].decimals`, `must be ${native.decimals}, as the native coin has`)
  })
  if ('seed_env' in account) {
    if (!seedIn(account.seed_env, env))
      addIssue('account.seed_env', `the environment variable ${account.seed_env} must hold a seed (32 to 128 hex digits)`)
    if (!operatorKeyIn(account.operator_env, env))
      addIssue(
        'account.operator_env',
        `the environment variable ${account.operator_env} must hold a private key as wallets export it (64 bytes in base58)`,
      )
  }
  if (entry.min_unit_price > entry.max_unit_price) addIssue('min_unit_price', 'is above max_unit_price')
  return mistakes
}

function seedIn(name: string, env: Env): Uint8Array | undefined {
  const text = env[name] ?? ''
  return /^(?:[0-9a-fA-F]{2}){16,64}$/.test(text) ? Buffer.from(text, 'hex') : undefined
}

/** Wallets export a private key with its public one behind it. Both have to belong together, or a mistyped key would be another account's. */
function operatorKeyIn(name: string, env: Env): Uint8Array | undefined {
  const text = env[name] ?? ''
  const bytes = text.length <= 88 ? decodeBase58(text) : undefined
  if (bytes?.length !== 64) return undefined
  const [key, publicKey] = [bytes.slice(0, 32), bytes.slice(32)]
  return Buffer.compare(ed25519.getPublicKey(key), publicKey) === 0 ? key : undefined
}

function keysIn({ account, chain_id }: SolanaEntry, env: Env): SolanaKeys {
  if ('remote_signer_url' in account)
    return { kind: 'remote', url: account.remote_signer_url, operator: account.operator, first: account.first_address }
  const [seed, operatorKey] = [seedIn(account.seed_env, env), operatorKeyIn(account.operator_env, env)]
  if (!seed || !operatorKey) throw new Error(`chain ${chain_id} has no keys`)
  return { kind: 'local', seed, operatorKey }
}

/** Where a port is named, a node serves subscriptions at the next one, and otherwise at the same URL. */
function wsUrlsOf({ rpc_url, ws_url }: SolanaEntry): readonly string[] {
  if (ws_url === false) return []
  if (ws_url !== undefined) return [ws_url].flat()
  return [rpc_url].flat().map((text) => {
    const url = new URL(text)
    url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:'
    if (url.port !== '') url.port = String(Number(url.port) + 1)
    return url.href
  })
}

interface ConfiguredToken extends TokenRow {
  readonly token_program?: 'token' | 'token-2022'
}

const tokensOf = ({ tokens }: SolanaEntry, presets: readonly ConfiguredToken[]): readonly ConfiguredToken[] => tokens ?? presets

/** What an entry leaves out comes from the cluster's preset. */
export function toSolanaConfig(entry: SolanaEntry, env: Env): SolanaConfig {
  const { chain_id: chainId } = entry
  const preset = solanaPresets[chainId]
  if (!preset) throw new Error(`chain ${chainId} has no preset`)
  return {
    family: 'solana',
    chainId,
    ...(entry.network === undefined && { genesis: preset.genesis.hash }),
    rpcUrls: [entry.rpc_url].flat(),
    wsUrls: wsUrlsOf(entry),
    requireSecondNode: entry.require_second_node,
    tokens: tokensOf(entry, preset.tokens).map(({ address, symbol, name, decimals, token_program, price_id, peg }) => ({
      chainId,
      address,
      symbol,
      name,
      decimals,
      ...(token_program === 'token-2022' && { program: TOKEN_2022_PROGRAM_ADDRESS }),
      ...(peg && { peg }),
      priceId: price_id ?? symbol,
    })),
    keys: keysIn(entry, env),
    addressesAhead: entry.addresses_ahead,
    confirmations: solanaFacts.confirmations,
    slotSeconds: solanaFacts.slotSeconds,
    pollMs: entry.poll_ms,
    timeoutMs: entry.timeout_ms,
    unitPrice: { least: BigInt(entry.min_unit_price), most: BigInt(entry.max_unit_price) },
  }
}
