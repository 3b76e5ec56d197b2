import { HDKey } from '@scure/bip32'
import * as z from 'zod'
import type { Network } from '../../../src/wire/addresses/codec.ts'
import { networkOf } from '../../../src/wire/addresses/networks.ts'
import { ChainId } from '../../../src/wire/chain.ts'
import { parseUnits } from '../../../src/wire/money.ts'
import { nativeCoin } from '../../../src/wire/native-coin.ts'
import type { Token } from '../chain.ts'
import { bitcoinPreset } from '../presets/bitcoin.ts'
import { type Env, type Mistake, Positive, Url } from '../table-entry.ts'
import { parseAccountKey } from './account-key.ts'

export interface BitcoinConfig {
  readonly family: 'bitcoin'
  readonly chainId: ChainId
  readonly network: Network
  /** With two or more nodes, nothing is final before two of them agree. */
  readonly nodes: readonly BitcoinNodeConfig[]
  /** Without this, one node suffices once the others have not answered for ten minutes. */
  readonly requireSecondNode: boolean
  /** How many confirmations a payment needs, by its amount. The steps ascend, and the last one has no limit. */
  readonly confirmations: readonly ConfirmationStep[]
  readonly tokens: readonly Token[]
  readonly account: BitcoinAccount
  readonly blockSeconds: number
  readonly pollMs: number
  readonly timeoutMs: number
  /** A transaction of ours that is in no block after this time is replaced by one with a higher fee. */
  readonly replaceAfterMs: number
  /** In satoshis for a thousand virtual bytes. The first is used while no node has an estimate, and the second is never exceeded. */
  readonly feeRates: { readonly fallback: bigint; readonly most: bigint }
}

export type BitcoinNodeConfig =
  | { readonly kind: 'bitcoind'; readonly url: string; readonly auth: string | undefined }
  | { readonly kind: 'esplora'; readonly url: string }

export interface ConfirmationStep {
  /** It is for amounts of less than this many satoshis. */
  readonly below?: bigint
  readonly blocks: number
}

/** Orders' addresses derive from the account's public key alone. The private one may be elsewhere. */
export type BitcoinAccount =
  | { readonly kind: 'local'; readonly key: HDKey }
  | { readonly kind: 'remote'; readonly key: HDKey; readonly url: string }

const Coins = z.string().transform((text, context): bigint => {
  const amount = parseUnits(text, 8)
  if (amount === undefined) context.addIssue('must be an amount of bitcoins like "0.01"')
  return amount ?? z.NEVER
})

const NodeEntry = z.union(
  [z.strictObject({ rpc_url: Url, auth_env: z.string().min(1).optional() }), z.strictObject({ esplora_url: Url })],
  'must be {"rpc_url": "…", "auth_env": "NAME"} or {"esplora_url": "…"}',
)

export const BitcoinEntry = z.strictObject({
  chain_id: ChainId,
  nodes: z.array(NodeEntry).min(1, 'must name a node'),
  require_second_node: z.boolean().default(false),
  confirmations: z
    .array(z.strictObject({ below: Coins.optional(), blocks: Positive }))
    .min(1, 'must name a number of blocks')
    .prefault([...bitcoinPreset.confirmations.steps]),
  account: z.union(
    [z.strictObject({ env: z.string().min(1) }), z.strictObject({ remote_signer_url: Url, xpub: z.string() })],
    'must be {"env": "NAME"} or {"remote_signer_url": "…", "xpub": "…"}',
  ),
  /** A chain of a local node (regtest) has the id of a public one. */
  network: z.literal('local', 'may only be "local", for a regtest node').optional(),
  block_seconds: z.number().positive('must be more than 0').default(bitcoinPreset.blockSeconds),
  fallback_fee_rate: z.number().min(1, 'must be at least 1').max(1_000).default(5),
  max_fee_rate: z.number().min(1, 'must be at least 1').max(10_000).default(300),
  poll_ms: Positive.default(1_000),
  timeout_ms: Positive.default(10_000),
  replace_after_ms: Positive.default(1_800_000),
})
export type BitcoinEntry = z.output<typeof BitcoinEntry>

export function bitcoinMistakes(
  { nodes, require_second_node, confirmations, account, ...entry }: BitcoinEntry,
  env: Env,
): readonly Mistake[] {
  const network = networkIn(entry)
  const mistakes: Mistake[] = []
  const urls = nodes.map((node) => ('rpc_url' in node ? node.rpc_url : node.esplora_url))
  if (new Set(urls).size < urls.length) mistakes.push({ path: 'nodes', message: 'names a node twice' })
  nodes.forEach((node, i) => {
    if ('auth_env' in node && node.auth_env !== undefined && !env[node.auth_env]?.includes(':'))
      mistakes.push({ path: `nodes[${i}].auth_env`, message: `the environment variable ${node.auth_env} must hold USER:PASSWORD` })
  })
  if (require_second_node && nodes.length < 2) mistakes.push({ path: 'require_second_node', message: 'needs two nodes' })
  const limits = confirmations.map(({ below }) => below)
  const ascend = limits.every((limit, i) => (i === limits.length - 1 ? limit === undefined : isBetween(limit, limits[i - 1])))
  if (!ascend) mistakes.push({ path: 'confirmations', message: 'must ascend, and the last step has no "below"' })
  if ('env' in account) {
    const key = parseAccountKey(env[account.env] ?? '', network)
    if (!key?.privateKey)
      mistakes.push({
        path: 'account.env',
        message: `the environment variable ${account.env} must hold an account's extended private key (${network === 'main' ? 'xprv or zprv' : 'tprv or vprv'})`,
      })
  } else if (parseAccountKey(account.xpub, network)?.privateKey !== null) {
    mistakes.push({
      path: 'account.xpub',
      message: `must be an account's extended public key (${network === 'main' ? 'xpub or zpub' : 'tpub or vpub'})`,
    })
  }
  if (entry.fallback_fee_rate > entry.max_fee_rate) mistakes.push({ path: 'fallback_fee_rate', message: 'is above max_fee_rate' })
  return mistakes
}

const isBetween = (limit: bigint | undefined, before: bigint | undefined): boolean => limit !== undefined && limit > (before ?? 0n)

const networkIn = ({ chain_id, network }: Pick<BitcoinEntry, 'chain_id' | 'network'>): Network => network ?? networkOf(chain_id)

const keyIn = (entry: BitcoinEntry, env: Env): HDKey | undefined =>
  parseAccountKey(('env' in entry.account ? env[entry.account.env] : entry.account.xpub) ?? '', networkIn(entry))

/**
 * An order that can be paid on several chains of a family has one address for all of them. So the test networks, which the same organisations
 * see, need the same account, or nobody would watch the address on one of them. A key that cannot be read is a mistake of its own.
 */
export function differsInAddresses(entry: BitcoinEntry, other: BitcoinEntry, env: Env): boolean {
  if (networkOf(entry.chain_id) !== networkOf(other.chain_id)) return false
  const [key, otherKey] = [keyIn(entry, env), keyIn(other, env)]
  const isSameKey = !key || !otherKey || key.publicExtendedKey === otherKey.publicExtendedKey
  return !isSameKey || networkIn(entry) !== networkIn(other)
}

/** Virtual bytes are counted in thousands, so that a rate is a whole number. */
const perThousand = (rate: number): bigint => BigInt(Math.round(rate * 1_000))

export function toBitcoinConfig(entry: BitcoinEntry, env: Env): BitcoinConfig {
  const { chain_id: chainId, account, nodes } = entry
  const network = networkIn(entry)
  const key = keyIn(entry, env)
  if (!key) throw new Error(`chain ${chainId} has no account`)
  const { symbol, name, decimals } = nativeCoin(chainId)
  return {
    family: 'bitcoin',
    chainId,
    network,
    nodes: nodes.map((node) =>
      'rpc_url' in node
        ? { kind: 'bitcoind', url: node.rpc_url, auth: node.auth_env === undefined ? undefined : env[node.auth_env] }
        : { kind: 'esplora', url: node.esplora_url.replace(/\/$/, '') },
    ),
    requireSecondNode: entry.require_second_node,
    confirmations: entry.confirmations.map(({ below, blocks }) => ({ blocks, ...(below !== undefined && { below }) })),
    tokens: [{ chainId, address: null, symbol, name, decimals, priceId: symbol }],
    account: 'env' in account ? { kind: 'local', key } : { kind: 'remote', key, url: account.remote_signer_url },
    blockSeconds: entry.block_seconds,
    pollMs: entry.poll_ms,
    timeoutMs: entry.timeout_ms,
    replaceAfterMs: entry.replace_after_ms,
    feeRates: { fallback: perThousand(entry.fallback_fee_rate), most: perThousand(entry.max_fee_rate) },
  }
}
