import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import * as z from 'zod/mini'
import { type ChainConfig, ChainTableInvalid, parseChainTable } from './chains/table.ts'
import type { PageLimits } from './http/page-limits.ts'
import type { ProviderAddress } from './providers/ask-provider.ts'
import type { CardFee } from './providers/card.ts'
import { type PriceConfig, priceConfig } from './providers/price-sources/price-config.ts'
import type { WalletRelay } from '../src/wire/boot.ts'
import { Email, Origin } from '../src/wire/scalars.ts'
import { isEvmAddress } from '../src/wire/terms/read-terms.ts'

export interface Shared {
  readonly port: number
  readonly host: string
  readonly payUrl: string | undefined
  readonly logLevel: string
  readonly metricsPort: number
  readonly trustedProxies: readonly string[]
  readonly countryHeader: string | undefined
  /** Wallets on other devices are reached through this relay. Without one, they are not offered. */
  readonly walletRelay: WalletRelay | undefined
  readonly callsPerSecond: number
  readonly callBurst: number
  /** Limits calls that query chains and providers: quotes, swap prices, portfolios, transactions and x402 payments. */
  readonly lookupsPerSecond: number
  readonly lookupBurst: number
  readonly connectionsPerAddress: number
  readonly pages: PageLimits
  /** An organisation's wallet payments on a chain are refused beyond this much gas in an hour, and its unsigned orders beyond a tenth. */
  readonly gasPerHour: bigint
  /** A payer who has asked how to pay has this long to pay at the quoted price. */
  readonly paymentWindowMs: number
  readonly x402: {
    readonly acceptEarly: boolean
    readonly allowedFactories: readonly string[]
    /** The operator pays at most this much gas for a payer's signed transfer. */
    readonly gasLimit: number
    /** The operator pays at most this much gas for deploying a payer's wallet. */
    readonly walletGasLimit: number
  }
  /** A change of an organisation's settlements by API comes into force after this time. */
  readonly settlementDelaySeconds: number
  /** So many days after an order was made, anybody can release its money to its recipients. */
  readonly releaseAfterDays: number
  /** Once a send has waited longer than this, /readyz reports its chain as degraded. */
  readonly sendAgeWarningMs: number
}

/** With nothing configured everything runs locally, otherwise a service on a database and chains, or the pages for another service. */
export type Config = Shared &
  (
    | {
        readonly mode: 'local'
        readonly dataFolder: string
        readonly blockMs: number
        /** A real node runs instead of our own where one of these variables names it. */
        readonly bitcoind: Readonly<Record<'TILL_BITCOIND_RPC' | 'TILL_BITCOIND' | 'PATH', string | undefined>>
      }
    | {
        readonly mode: 'service'
        readonly databaseUrl: string
        readonly chains: readonly ChainConfig[]
        readonly prices: PriceConfig
        readonly payUrl: string
        readonly smtpUrl: string | undefined
        readonly mailFrom: string | undefined
        readonly bank: ProviderAddress | undefined
        readonly identity: ProviderAddress | undefined
        readonly card: (ProviderAddress & { readonly fee?: CardFee }) | undefined
      }
    | {
        readonly mode: 'pages'
        readonly baseUrl: string
        readonly apiKey: string
        readonly apiSecret: string
        readonly embedOrigins: readonly string[]
        /** Orders on EVM chains are shown only if their addresses follow from this contract. Without it they are not checked. */
        readonly factory: string | undefined
      }
  )

export class ConfigInvalid extends Error {
  constructor(readonly mistakes: readonly string[]) {
    super(
      `The configuration has ${mistakes.length === 1 ? 'a mistake' : `${mistakes.length} mistakes`}:\n${mistakes.map((mistake) => `  ${mistake}`).join('\n')}`,
    )
    this.name = 'ConfigInvalid'
  }
}

type Env = Readonly<Record<string, string | undefined>>

/** Throws one error that lists every mistake, so that they can all be corrected at once. */
export function readConfig(env: Env): Config {
  const mistakes: string[] = []
  const text = (name: string): string | undefined => (env[name] === undefined || env[name] === '' ? undefined : env[name])
  const number = (name: string, fallback: number, min: number, max: number): number => {
    const value = text(name)
    if (value === undefined) return fallback
    if (/^\d{1,13}$/.test(value) && Number(value) >= min && Number(value) <= max) return Number(value)
    mistakes.push(`${name} must be a whole number from ${min} to ${max}, and is ${JSON.stringify(value)}.`)
    return fallback
  }
  const url = (name: string, protocols: readonly string[]): string | undefined => {
    const value = text(name)
    if (value === undefined) return undefined
    if (URL.canParse(value) && protocols.includes(new URL(value).protocol)) return value.replace(/\/$/, '')
    mistakes.push(`${name} must be an address that begins with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}.`)
    return undefined
  }
  const mailbox = (name: string): string | undefined => {
    const value = text(name)
    if (value === undefined || z.safeParse(Email, value).success) return value
    mistakes.push(`${name} must be one mail address, like invoices@pay.example.`)
    return undefined
  }
  const provider = (name: string): ProviderAddress | undefined => {
    const [at, secret] = [url(`${name}_URL`, ['http:', 'https:']), text(`${name}_SECRET`)]
    if (at !== undefined && secret !== undefined) return { url: at, secret }
    if (at !== undefined) mistakes.push(`${name}_SECRET is missing: it is needed with ${name}_URL.`)
    return undefined
  }
  const readCardFee = (): CardFee | undefined => {
    const value = text('CARD_FEE')
    if (value === undefined) return undefined
    if (text('CARD_URL') === undefined) mistakes.push('CARD_URL is missing: CARD_FEE says what the provider there takes.')
    const [, percent, fixed = '0'] = /^(\d{1,2}(?:\.\d{1,4})?)%(?: ?\+ ?(\d{1,4}(?:\.\d{1,2})?))?$/.exec(value) ?? []
    if (percent !== undefined) return { percent, fixed }
    mistakes.push(`CARD_FEE must be a share and an amount, like 2.9% + 0.30, and is ${JSON.stringify(value)}.`)
    return undefined
  }
  const evmAddress = (name: string): string | undefined => {
    const value = text(name)
    if (value !== undefined && !isEvmAddress(value)) mistakes.push(`${name} must be an EVM address, and is ${JSON.stringify(value)}.`)
    return value
  }
  const list = (name: string, isGood: (item: string) => boolean, what: string): readonly string[] => {
    const items =
      text(name)
        ?.split(',')
        .map((item) => item.trim()) ?? []
    for (const item of items) if (!isGood(item)) mistakes.push(`${name} holds ${JSON.stringify(item)}, which is not ${what}.`)
    return items
  }

  const mode =
    text('BASE_URL') || text('API_KEY') || text('API_SECRET') ? 'pages' : text('DATABASE_URL') || text('TILL_CHAINS') ? 'service' : 'local'
  const logLevel = text('LOG_LEVEL') ?? 'info'
  if (!['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'].includes(logLevel))
    mistakes.push(`LOG_LEVEL is ${JSON.stringify(logLevel)}; it is one of trace, debug, info, warn, error, fatal, silent.`)
  const [callsPerSecond, callBurst] = [number('RATE_PER_SECOND', 50, 1, 1_000_000), number('RATE_BURST', 200, 1, 1_000_000)]
  const shared: Shared = {
    port: number('PORT', 4020, 0, 65_535),
    host: text('HOST') ?? (mode === 'local' ? '127.0.0.1' : '0.0.0.0'),
    payUrl: url('PAY_URL', ['http:', 'https:']),
    logLevel,
    metricsPort: number('METRICS_PORT', 0, 0, 65_535),
    trustedProxies: list('TRUSTED_PROXIES', isNetwork, 'a network like 10.0.0.0/8'),
    countryHeader: text('COUNTRY_HEADER'),
    walletRelay: walletRelay(text('WALLETCONNECT_PROJECT_ID'), url('WALLETCONNECT_RELAY_URL', ['wss:', 'ws:'])),
    callsPerSecond,
    callBurst,
    lookupsPerSecond: number('LOOKUP_RATE_PER_SECOND', Math.ceil(callsPerSecond / 10), 1, 1_000_000),
    lookupBurst: number('LOOKUP_RATE_BURST', Math.ceil(callBurst / 4), 1, 1_000_000),
    // Gas costs nothing in local mode.
    gasPerHour: BigInt(number('GAS_PER_HOUR', mode === 'local' ? 1e12 : 200_000_000, 1, 1e12)),
    connectionsPerAddress: number('CONNECTIONS_PER_ADDRESS', 1_000, 1, 1_000_000),
    pages: {
      rate: { perSecond: number('PAGE_RATE_PER_SECOND', 50, 1, 1_000_000), burst: number('PAGE_RATE_BURST', 200, 1, 1_000_000) },
      atOnce: number('PAGES_AT_ONCE', mode === 'pages' ? 64 : 8, 1, 10_000),
      // In front of another service a page mostly waits for that service, so more may be rendered concurrently.
      atOncePerAddress: number('PAGES_AT_ONCE_PER_ADDRESS', mode === 'pages' ? 16 : 1, 1, 10_000),
    },
    paymentWindowMs: number('PAYMENT_WINDOW_SECONDS', 1_800, 1, 86_400) * 1000,
    x402: {
      acceptEarly: number('X402_ACCEPT_EARLY', 0, 0, 1) === 1,
      allowedFactories: list('X402_WALLET_FACTORIES', isEvmAddress, 'an EVM address'),
      gasLimit: number('X402_GAS_LIMIT', 300_000, 50_000, 16_777_216),
      walletGasLimit: number('X402_WALLET_GAS_LIMIT', 1_000_000, 50_000, 16_777_216),
    },
    settlementDelaySeconds: number('SETTLEMENT_DELAY_SECONDS', mode === 'local' ? 0 : 86_400, 0, 30 * 86_400),
    releaseAfterDays: number('RELEASE_AFTER_DAYS', 30, 7, 365),
    sendAgeWarningMs: number('SEND_AGE_WARNING_SECONDS', 300, 1, 86_400) * 1000,
  }
  const needed = (name: string, value: string | undefined): string => {
    if (value === undefined && !mistakes.some((mistake) => mistake.startsWith(name)))
      mistakes.push(
        `${name} is missing: it is needed ${mode === 'pages' ? 'to serve pages for another service' : 'with a configured database or chain'}.`,
      )
    return value ?? ''
  }
  const config = ((): Config => {
    switch (mode) {
      case 'local':
        return {
          ...shared,
          mode,
          dataFolder: text('TILL_DATA') ?? '.till',
          blockMs: number('TILL_BLOCK_MS', 1_000, 100, 60_000),
          bitcoind: {
            TILL_BITCOIND_RPC: url('TILL_BITCOIND_RPC', ['http:', 'https:']),
            TILL_BITCOIND: text('TILL_BITCOIND'),
            PATH: text('PATH'),
          },
        }
      case 'service': {
        const [card, cardFee] = [provider('CARD'), readCardFee()]
        return {
          ...shared,
          mode,
          databaseUrl: needed('DATABASE_URL', url('DATABASE_URL', ['postgres:', 'postgresql:'])),
          chains: readChains(needed('TILL_CHAINS', text('TILL_CHAINS')), env, mistakes),
          prices: priceConfig({ env, serviceUrl: url('PRICES_URL', ['http:', 'https:']), hasChains: true, mistakes }),
          payUrl: needed('PAY_URL', shared.payUrl),
          smtpUrl: url('SMTP_URL', ['smtp:', 'smtps:']),
          mailFrom: mailbox('MAIL_FROM'),
          bank: provider('BANK'),
          identity: provider('IDENTITY'),
          card: card && { ...card, fee: cardFee },
        }
      }
      case 'pages':
        return {
          ...shared,
          mode,
          baseUrl: needed('BASE_URL', url('BASE_URL', ['http:', 'https:'])),
          apiKey: needed('API_KEY', text('API_KEY')),
          apiSecret: needed('API_SECRET', text('API_SECRET')),
          factory: evmAddress('TILL_FACTORY'),
          embedOrigins: list('EMBED_ORIGINS', (item) => z.safeParse(Origin, item).success, 'an origin like https://shop.example'),
        }
      default:
        return mode satisfies never
    }
  })()
  if (mistakes.length > 0) throw new ConfigInvalid(mistakes)
  return config
}

const walletRelay = (project: string | undefined, url = 'wss://relay.walletconnect.org'): WalletRelay | undefined =>
  project === undefined ? undefined : { project, url }

function isNetwork(item: string): boolean {
  const [address = '', bits = '', ...rest] = item.split('/')
  const version = isIP(address)
  return (
    rest.length === 0 &&
    version !== 0 &&
    (bits === '' ? !item.includes('/') : /^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128))
  )
}

function readChains(path: string, env: Env, mistakes: string[]): readonly ChainConfig[] {
  if (path === '') return []
  try {
    return parseChainTable(JSON.parse(readFileSync(path, 'utf8')), env)
  } catch (error) {
    if (error instanceof ChainTableInvalid)
      mistakes.push(...error.issues.map((issue) => `TILL_CHAINS ${path}: ${issue.path}: ${issue.message}`))
    else mistakes.push(`TILL_CHAINS: ${path} cannot be read as JSON (${error instanceof Error ? error.message : String(error)}).`)
    return []
  }
}
