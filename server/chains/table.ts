import * as z from 'zod'
import { ChainId, chains } from '../../src/wire/chain.ts'
import type { ChainFamily } from '../../src/wire/chain-facts.ts'
import { BitcoinEntry, bitcoinMistakes, type BitcoinConfig, differsInAddresses, toBitcoinConfig } from './bitcoin/bitcoin-config.ts'
import { EvmAddress, EvmEntry, evmMistakes, type EvmConfig, operatorAddress, toEvmConfig } from './evm/evm-config.ts'
import { factoryOf } from './evm/factory.ts'
import { GuardEntry, guardMistakes, toGuard } from './guard-entry.ts'
import { SolanaEntry, solanaMistakes, type SolanaConfig, toSolanaConfig } from './solana/solana-config.ts'
import type { Env, Mistake } from './table-entry.ts'

export type ChainConfig = EvmConfig | BitcoinConfig | SolanaConfig

export class ChainTableInvalid extends Error {
  override readonly name = 'ChainTableInvalid'
  readonly code = 'chain_table_invalid'

  constructor(readonly issues: readonly Mistake[]) {
    super(
      `The table of chains has ${issues.length === 1 ? 'a mistake' : `${issues.length} mistakes`}:\n${issues.map(({ path, message }) => `  ${path}: ${message}`).join('\n')}`,
    )
  }
}

type Entry =
  | { readonly family: 'evm'; readonly entry: EvmEntry }
  | { readonly family: 'bitcoin'; readonly entry: BitcoinEntry }
  | { readonly family: 'solana'; readonly entry: SolanaEntry }

const entryOf: Readonly<Partial<Record<ChainFamily, z.ZodType>>> = { evm: EvmEntry, bitcoin: BitcoinEntry, solana: SolanaEntry }

const served = ChainId.def.values.filter((id) => entryOf[chains[id].family])

const Identified = z.looseObject({ chain_id: ChainId })

/** The operator has written JSON, and may not know the schema's words. */
const plainText = (issue: z.core.$ZodRawIssue): string | undefined =>
  issue.code === 'invalid_type' && issue.input === undefined ? 'is missing' : undefined

/** The chain decides which members its entry has. */
const Entry = z.unknown().transform((given, context): Entry => {
  const identified = Identified.safeParse(given)
  const family = identified.success ? chains[identified.data.chain_id].family : undefined
  const parsed = family && entryOf[family]?.safeParse(given, { error: plainText })
  if (parsed?.success) return { family, entry: parsed.data } as Entry
  if (!parsed)
    context.issues.push({
      code: 'custom',
      path: ['chain_id'],
      message: `is not a chain that Till serves: ${served.join(', ')}`,
      input: given,
    })
  for (const issue of parsed?.error.issues ?? [])
    context.issues.push({ code: 'custom', path: issue.path, message: issue.message, input: given })
  return z.NEVER
})

/** Owner and guard are named once for all EVM chains, because an order's deposit address must be the same on all of them. */
const Table = z.strictObject({
  owner: EvmAddress.optional(),
  guard: GuardEntry.optional(),
  chains: z.array(Entry).min(1, 'must name a chain'),
})
type Table = z.output<typeof Table>

/** Parses the JSON of TILL_CHAINS. An error lists all mistakes against the schema with their paths or, if none, all contradictions. */
export function parseChainTable(json: unknown, env: Env): ChainConfig[] {
  const parsed = Table.safeParse(json)
  if (!parsed.success) {
    throw new ChainTableInvalid(parsed.error.issues.map(({ path, message }) => ({ path: pathText(path), message })))
  }
  const issues = findContradictions(parsed.data, env)
  if (issues.length > 0) throw new ChainTableInvalid(issues)
  const { owner, guard } = parsed.data
  return parsed.data.chains.map(({ family, entry }) => {
    switch (family) {
      case 'evm': {
        if (owner === undefined) throw new Error('an EVM chain needs an owner')
        const factory = { address: factoryOf(owner).address, owner }
        return toEvmConfig(entry, { factory, ...(guard && { guard: toGuard(guard, env) }) }, env)
      }
      case 'bitcoin':
        return toBitcoinConfig(entry, env)
      case 'solana':
        return toSolanaConfig(entry, env)
      default:
        return family satisfies never
    }
  })
}

export const isEvm = (config: ChainConfig): config is EvmConfig => config.family === 'evm'

function findContradictions({ owner, guard, chains: entries }: Table, env: Env): readonly Mistake[] {
  const mistakes = entries.flatMap((listed, i): readonly Mistake[] => {
    const isTwice = entries.findIndex((other) => other.entry.chain_id === listed.entry.chain_id) < i
    return [...(isTwice ? [{ path: 'chain_id', message: 'is listed twice' }] : []), ...mistakesOf(listed, env)].map(
      ({ path, message }) => ({
        path: `chains[${i}].${path}`,
        message,
      }),
    )
  })
  const shared = entries.flatMap((listed, i): readonly Mistake[] => {
    if (listed.family !== 'bitcoin') return []
    const other = entries.slice(0, i).find((before) => before.family === 'bitcoin' && differsInAddresses(listed.entry, before.entry, env))
    return other
      ? [{ path: `chains[${i}].account`, message: `must be that of chain ${other.entry.chain_id}: an order has one address on both` }]
      : []
  })
  const evm = entries.flatMap(({ family, entry }) => (family === 'evm' ? [entry] : []))
  const noOwner = evm.length > 0 && owner === undefined ? [{ path: 'owner', message: 'is missing: EVM chains need it' }] : []
  const operators = evm.map((entry) => ({ chainId: entry.chain_id, address: operatorAddress(entry, env) }))
  return [...mistakes, ...shared, ...noOwner, ...(guard ? guardMistakes(guard, { owner, operators }, env) : [])]
}

function mistakesOf({ family, entry }: Entry, env: Env): readonly Mistake[] {
  switch (family) {
    case 'evm':
      return evmMistakes(entry, env)
    case 'bitcoin':
      return bitcoinMistakes(entry, env)
    case 'solana':
      return solanaMistakes(entry, env)
    default:
      return family satisfies never
  }
}

const pathText = (path: readonly PropertyKey[]) =>
  path.map((part, i) => (typeof part === 'number' ? `[${part}]` : i === 0 ? String(part) : `.${String(part)}`)).join('') || 'the file'
