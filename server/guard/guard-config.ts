import { readFileSync } from 'node:fs'
import type { Hex } from 'viem'
import * as z from 'zod'
import { codecs } from '../../src/wire/addresses/codecs.ts'
import { canonicalToken } from '../../src/wire/addresses/canonical.ts'
import { Id } from '../../src/wire/scalars.ts'
import { presetExchange } from '../chains/evm/exchange/preset-exchange.ts'
import { factoryOf } from '../chains/evm/factory.ts'
import { presetOf, presets } from '../chains/presets/presets.ts'
import { defaultGuardPolicy, membersElsewhere, policyOf } from '../chains/guard-policy.ts'
import { isPrivateKey } from '../chains/evm/evm-config.ts'
import { isGuardToken } from '../chains/guard-entry.ts'
import { type PriceConfig, priceConfig } from '../providers/price-sources/price-config.ts'
import type { KnownOrganization } from './organizations.ts'
import type { PricedToken } from './prices.ts'
import type { GuardRules } from './rules.ts'

export interface GuardProcessConfig {
  readonly host: string
  readonly port: number
  readonly token: string
  readonly key:
    | { readonly kind: 'local'; readonly privateKey: Hex }
    | { readonly kind: 'remote'; readonly url: string; readonly address: string }
  readonly ledger: string
  readonly prices: PriceConfig
  readonly rules: GuardRules
  readonly tokens: readonly PricedToken[]
  readonly organizations: readonly KnownOrganization[]
  readonly logLevel: string
}

export class GuardConfigInvalid extends Error {
  override readonly name = 'GuardConfigInvalid'
  readonly code = 'guard_config_invalid'

  constructor(readonly mistakes: readonly string[]) {
    super(
      `The guard's configuration has ${mistakes.length === 1 ? 'a mistake' : `${mistakes.length} mistakes`}:\n${mistakes.map((mistake) => `  ${mistake}`).join('\n')}`,
    )
  }
}

const Address = z.string().transform((text, context) => {
  const address = codecs.evm.addressesOn('main').read(text)
  if (address === undefined) context.addIssue('must be an EVM address (0x and 40 hex digits)')
  return address ?? z.NEVER
})

const Token = z.strictObject({ address: Address.nullable(), decimals: z.int().min(0).max(36), price_id: z.string().min(1) })

const Chain = z.strictObject({
  chain_id: z.int().refine((id) => presets.some(({ chainId }) => chainId === id), 'is not an EVM chain that Till knows'),
  /** Without this the exchange is that of the preset, and with false there are no conversions. */
  exchange: z
    .union([z.literal(false), z.strictObject({ router: Address, wrapped: Address })], 'must be false, or {"router", "wrapped"}')
    .optional(),
  /** Without this the tokens are those of the preset. */
  tokens: z.array(Token).optional(),
})

const Organization = z.strictObject({
  id: Id,
  recipients: z.array(Address).min(1, 'must name a recipient'),
  keys: z.array(z.strictObject({ api_key: z.string().min(1), secret_env: z.string().min(1) })).default([]),
})

/** The JSON of GUARD_RULES: what the guard knows by itself. */
export const RulesFile = z.strictObject({
  owner: Address,
  chains: z.array(Chain).min(1, 'must name a chain'),
  organisations: z.array(Organization).default([]),
  ...membersElsewhere,
})
type RulesFile = z.output<typeof RulesFile>

type Env = Readonly<Record<string, string | undefined>>

/** Parses the environment of `main.js guard`. The error lists every mistake. */
export function readGuardConfig(env: Env): GuardProcessConfig {
  const mistakes: string[] = []
  const text = (name: string): string | undefined => (env[name] === '' ? undefined : env[name])
  const url = (name: string): string | undefined => {
    const value = text(name)
    if (value === undefined || (URL.canParse(value) && /^https?:$/.test(new URL(value).protocol))) return value?.replace(/\/$/, '')
    mistakes.push(`${name} must be an address that begins with http:// or https://.`)
    return undefined
  }
  const needed = (name: string, value: string | undefined, why: string): string => {
    if (value === undefined && !mistakes.some((mistake) => mistake.startsWith(name))) mistakes.push(`${name} is missing: ${why}.`)
    return value ?? ''
  }
  const port = text('GUARD_PORT') ?? '4021'
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535)
    mistakes.push(`GUARD_PORT must be a whole number from 0 to 65535, and is ${JSON.stringify(port)}.`)
  const token = text('GUARD_TOKEN')
  if (token !== undefined && !isGuardToken(token)) mistakes.push('GUARD_TOKEN must have 32 to 200 visible ASCII characters.')
  const file = readRules(needed('GUARD_RULES', text('GUARD_RULES'), 'a JSON file of what the guard may sign'), mistakes)
  const config: GuardProcessConfig = {
    host: text('GUARD_HOST') ?? '127.0.0.1',
    port: Number(port),
    token: needed('GUARD_TOKEN', token, 'the service asks with it'),
    key: readKey(text('GUARD_KEY'), url('GUARD_SIGNER_URL'), text('GUARD_ADDRESS'), mistakes),
    ledger: needed('GUARD_LEDGER', text('GUARD_LEDGER'), 'a file in which the guard remembers what it has signed'),
    prices: priceConfig({ env, serviceUrl: url('PRICES_URL'), hasChains: false, mistakes }),
    rules: file ? rulesOf(file) : { ...defaultGuardPolicy, factory: '', exchanges: new Map() },
    tokens: file?.chains.flatMap(tokensOf) ?? [],
    organizations: file ? organizationsOf(file, env, mistakes) : [],
    logLevel: text('LOG_LEVEL') ?? 'info',
  }
  if (mistakes.length > 0) throw new GuardConfigInvalid(mistakes)
  return config
}

function readKey(
  key: string | undefined,
  url: string | undefined,
  address: string | undefined,
  mistakes: string[],
): GuardProcessConfig['key'] {
  const parsed = address === undefined ? undefined : codecs.evm.addressesOn('main').read(address)
  if (key !== undefined && (url !== undefined || address !== undefined))
    mistakes.push('GUARD_KEY and GUARD_SIGNER_URL exclude each other: the key is here or in another service.')
  else if (key !== undefined && isPrivateKey(key)) return { kind: 'local', privateKey: key }
  else if (key !== undefined) mistakes.push('GUARD_KEY must be a private key (0x and 64 hex digits).')
  else if (url !== undefined && parsed !== undefined) return { kind: 'remote', url, address: parsed }
  else if (address !== undefined && parsed === undefined) mistakes.push('GUARD_ADDRESS must be an EVM address (0x and 40 hex digits).')
  else mistakes.push('GUARD_KEY is missing, or GUARD_SIGNER_URL with GUARD_ADDRESS: the guard signs with a key.')
  return { kind: 'remote', url: '', address: '' }
}

function readRules(path: string, mistakes: string[]): RulesFile | undefined {
  if (path === '') return undefined
  try {
    const parsed = RulesFile.safeParse(JSON.parse(readFileSync(path, 'utf8')))
    if (parsed.success) return parsed.data
    mistakes.push(...parsed.error.issues.map((issue) => `GUARD_RULES ${path}: ${issue.path.join('.') || 'the file'}: ${issue.message}`))
  } catch (error) {
    mistakes.push(`GUARD_RULES: ${path} cannot be read as JSON (${error instanceof Error ? error.message : String(error)}).`)
  }
  return undefined
}

const rulesOf = (file: RulesFile): GuardRules => ({
  ...policyOf(file),
  factory: factoryOf(file.owner).address,
  exchanges: new Map(
    file.chains.flatMap(({ chain_id, exchange = presetExchange(chain_id) }) => (exchange ? [[chain_id, exchange] as const] : [])),
  ),
})

const tokensOf = ({ chain_id, tokens }: RulesFile['chains'][number]): PricedToken[] =>
  tokens
    ? tokens.map(({ address, decimals, price_id }) => ({
        chainId: chain_id as PricedToken['chainId'],
        address,
        decimals,
        priceId: price_id,
      }))
    : presetOf(chain_id).tokens.map(({ address, decimals, symbol, price_id }) => ({
        chainId: chain_id as PricedToken['chainId'],
        address: canonicalToken(chain_id, address),
        decimals,
        priceId: price_id ?? symbol,
      }))

function organizationsOf(file: RulesFile, env: Env, mistakes: string[]): KnownOrganization[] {
  const owners = new Map<string, string>()
  for (const { id, recipients } of file.organisations) {
    for (const recipient of recipients) {
      const other = owners.get(recipient)
      if (other !== undefined && other !== id)
        mistakes.push(`GUARD_RULES: ${recipient} is a recipient of ${other} and of ${id}, so nobody could tell whose order it is.`)
      owners.set(recipient, id)
    }
  }
  return file.organisations.map(({ id, recipients, keys }) => ({
    id,
    recipients,
    keys: keys.map(({ api_key, secret_env }) => {
      const secret = env[secret_env]
      if (!secret) mistakes.push(`GUARD_RULES: the environment variable ${secret_env} must hold the secret of ${api_key}.`)
      return { apiKey: api_key, secret: secret ?? '' }
    }),
  }))
}
