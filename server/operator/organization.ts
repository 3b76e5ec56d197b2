import { randomBytes } from 'node:crypto'
import { canonicalToken } from '../../src/wire/addresses/canonical.ts'
import { addressesOn } from '../../src/wire/addresses/codecs.ts'
import { transaction } from '../database/transaction.ts'
import { parseArgs } from 'node:util'
import * as z from 'zod/mini'
import { Email, Origin, PostalAddress, TaxNumber } from '../../src/wire/scalars.ts'
import { isTestnet } from '../chains/presets/presets.ts'
import { type ChainConfig, isEvm } from '../chains/table.ts'
import { type NewKey, organizationById, type Organization, putOrganization } from '../organizations/organizations.ts'
import { collectorOn, maxSettlements, type OrganizationSettlement, type OrganizationSettlements } from '../organizations/settlements.ts'
import { newId } from '../orders/new-order.ts'
import { type Command, configuredChains, UsageError, withDatabase } from './command.ts'
import { checkOwnGuard } from '../guard/check-own-guard.ts'
import { guardedChains, ownGuardOf } from './own-guard.ts'
import { parseConfirmations } from './parse-confirmations.ts'

/** Creates an organisation and prints its first key with the secret, which is not shown again. With `--id` it changes an existing one. */
export const organization: Command = {
  usage: `organisation --name NAME --chain ID --token SYMBOL --recipient ADDRESS [more]
  Creates an organisation with its first key; its sales are settled in that token to that address.
  organisation --id org_… [what changes]
  Changes one. Existing orders keep their terms.
  --settlement ID:SYMBOL:ADDRESS[:ADDRESS]  a chain, a token, who receives it, and where its fees go; may be repeated, up to 16 times: an order
                        may be paid on any of these chains, and the first is the default. It replaces the whole list, and --chain,
                        --token and --recipient change its first entry alone.
  --fee-collector ADDRESS  where the fees go on every chain (default: the recipient)
  --email ADDRESS       gets a mail when the settlements are changed by API, which is refused without it
  --address TEXT        your postal address, and
  --tax-number TEXT     your tax number, which are printed on invoices that have none of their own; '' removes one
  --fee-bps 0           your fee in hundredths of a percent
  --tolerance-bps 0     how much less than asked for still counts as paid, up to 1000
  --confirmations ID:STEPS  how deep payments on a chain have to be at least, by amount, as in 20000000000001:0.01=2,1=3,6: below 0.01
                        two blocks, below 1 three, and else six; may be repeated
  --gas-usd 0           what each order adds for the network's fee, in dollars, up to 1000
  --unsigned-orders off on: the publishable key alone may create DEPOSIT orders, so anybody who reads it off a page may
  --guard 0x…           a contract wallet (ERC-1271) or key of the merchant's that signs for refunds and conversions of its new orders on
                        EVM chains, which are then never made by a machine alone (docs/guard.md); "operator": the operator's guard
  --embed-origin URL    a site that may show the checkout in a frame; may be repeated
  --test                its orders are not live`,
  async run(args, env, say) {
    const { values } = parseArgs({ args: [...args], options })
    const chains = configuredChains(env)
    await withDatabase(env, async (sql) => {
      const known = values.id === undefined ? undefined : await organizationById(sql, values.id)
      const made = organizationFrom(known, values, chains)
      // Settlements may have come to another chain, so a guard that is kept is checked as well.
      if (made.guard !== undefined)
        await checkOwnGuard(made.guard, made.settlements, guardedChains(chains.filter(isEvm)), AbortSignal.timeout(30_000))
      const key = known ? undefined : newKey(made.isLive, 'First key')
      // A command that names no settlement leaves the list alone, and a change of it that is pending.
      const keepsSettlements = known !== undefined && settlementOptions.every((name) => values[name] === undefined)
      const isCancelled = await transaction(sql, (tx) => putOrganization(tx, made, key ? [key] : [], { keepsSettlements }))
      if (isCancelled) say('The change of its settlements that was pending is cancelled.')
      for (const line of unusable(made)) say(line)
      say(`organisation  ${made.id}  ${made.name}${made.isLive ? '' : ' (test)'}`)
      if (key) printKey(key, say)
    })
  },
}

const options = {
  id: { type: 'string' },
  name: { type: 'string' },
  chain: { type: 'string' },
  token: { type: 'string' },
  recipient: { type: 'string' },
  settlement: { type: 'string', multiple: true },
  email: { type: 'string' },
  address: { type: 'string' },
  'tax-number': { type: 'string' },
  'fee-collector': { type: 'string' },
  'fee-bps': { type: 'string' },
  'tolerance-bps': { type: 'string' },
  'gas-usd': { type: 'string' },
  confirmations: { type: 'string', multiple: true },
  'unsigned-orders': { type: 'string' },
  guard: { type: 'string' },
  'embed-origin': { type: 'string', multiple: true },
  test: { type: 'boolean' },
} as const

const settlementOptions = ['settlement', 'chain', 'token', 'recipient', 'fee-collector'] as const

type Options = ReturnType<typeof parseArgs<{ options: typeof options }>>['values']

/** Outside local mode an organisation that is not live sees testnets alone, and a live one sees none. */
const unusable = ({ isLive, settlements }: Organization): string[] =>
  settlements
    .filter(({ chainId }) => isTestnet(chainId) === isLive)
    .map(
      ({ chainId }) =>
        `No order can be paid on chain ${chainId}: ${isLive ? 'a live organisation sees no testnet' : 'with --test it sees testnets alone'}.`,
    )

export function newKey(isLive: boolean, label: string): NewKey {
  const kind = isLive ? 'live' : 'test'
  const random = () => randomBytes(24).toString('base64url')
  return { id: newId('key'), apiKey: `pk_${kind}_${random()}`, secret: `sk_${kind}_${random()}`, label }
}

export function printKey({ id, apiKey, secret }: NewKey, say: (line: string) => void): void {
  say(`key           ${id}`)
  say(`api key       ${apiKey}`)
  say(`api secret    ${secret}`)
  say('The secret is shown only once.')
}

function organizationFrom(known: Organization | undefined, given: Options, chains: readonly ChainConfig[]): Organization {
  const settlements = settlementsOf(known, given, chains)
  if (given.email !== undefined && !z.safeParse(Email, given.email).success)
    throw new UsageError(`--email must be a mail address, and is ${JSON.stringify(given.email)}.`)
  const email = given.email ?? known?.email
  for (const origin of given['embed-origin'] ?? [])
    if (!z.safeParse(Origin, origin).success) throw new UsageError(`--embed-origin is an origin like https://shop.example, not ${origin}.`)
  const name = given.name ?? known?.name
  if (!name) throw new UsageError('--name is missing.')
  const guard = given.guard === undefined ? known?.guard : ownGuardOf(given.guard)
  return {
    id: known?.id ?? newId('org'),
    name,
    isLive: given.test === undefined ? (known?.isLive ?? true) : !given.test,
    ...(email !== undefined && { email }),
    ...printed('address', '--address', given.address, known?.address, PostalAddress),
    ...printed('taxNumber', '--tax-number', given['tax-number'], known?.taxNumber, TaxNumber),
    settlements,
    fees: {
      ...(known?.fees ?? noFees),
      ...(given['fee-bps'] === undefined ? {} : { customBps: bps('--fee-bps', given['fee-bps']) }),
      ...(given['gas-usd'] === undefined ? {} : { gasUsd: dollars('--gas-usd', given['gas-usd']) }),
    },
    toleranceBps: given['tolerance-bps'] === undefined ? (known?.toleranceBps ?? 0) : bps('--tolerance-bps', given['tolerance-bps']),
    embedOrigins: given['embed-origin'] ?? known?.embedOrigins ?? [],
    unsignedOrders:
      given['unsigned-orders'] === undefined ? (known?.unsignedOrders ?? false) : isOn('--unsigned-orders', given['unsigned-orders']),
    ...(guard !== undefined && { guard }),
    ...confirmationsMember(known, given.confirmations, chains),
  }
}

/** An empty text removes what is known. */
function printed<Name extends string>(
  name: Name,
  option: string,
  given: string | undefined,
  known: string | undefined,
  shape: z.ZodMiniType<string>,
) {
  const text = given ?? known
  if (!text) return undefined
  const { error } = z.safeParse(shape, text)
  if (error) throw new UsageError(`${option} ${error.issues[0]?.message ?? 'is malformed'}.`)
  return { [name]: text }
}

function confirmationsMember(known: Organization | undefined, given: readonly string[] | undefined, chains: readonly ChainConfig[]) {
  const confirmations = given?.map((text) => parseConfirmations(text, chains)) ?? known?.confirmations
  return confirmations && { confirmations }
}

const noFees = { customBps: 0, protocolBps: 0, relayerUsd: '0', gasUsd: '0' }

function settlementsOf(known: Organization | undefined, given: Options, chains: readonly ChainConfig[]): OrganizationSettlements {
  const [first, ...others] = given.settlement?.map((text) => parseSettlement(text, given, chains)) ?? []
  const list: OrganizationSettlements = first ? [first, ...others] : [firstOf(known, given, chains), ...(known?.settlements.slice(1) ?? [])]
  if (list.length > maxSettlements) throw new UsageError(`An organisation has at most ${maxSettlements} settlements.`)
  const names = list.map(({ chainId, address }) => `${chainId} ${address}`)
  if (new Set(names).size < names.length) throw new UsageError('Two settlements name the same token of the same chain.')
  const collector = given['fee-collector']
  if (collector === undefined) return list
  const collected = (settlement: OrganizationSettlement): OrganizationSettlement => ({
    ...settlement,
    feeCollector: parseAddress('--fee-collector', chainOf(chains, String(settlement.chainId)), collector),
  })
  const [head, ...tail] = list
  return [collected(head), ...tail.map(collected)]
}

function parseSettlement(text: string, given: Options, chains: readonly ChainConfig[]): OrganizationSettlement {
  const [chain, token, recipient, collector = recipient, ...more] = text.split(':')
  if (!chain || !token || !recipient || !collector || more.length > 0)
    throw new UsageError(`--settlement is CHAIN:TOKEN:RECIPIENT[:FEE-COLLECTOR], not ${JSON.stringify(text)}.`)
  if (given.chain !== undefined || given.token !== undefined || given.recipient !== undefined)
    throw new UsageError('Use either --settlement, or --chain, --token and --recipient.')
  const config = chainOf(chains, chain)
  return {
    chainId: config.chainId,
    address: tokenOf(token, config),
    recipient: parseAddress('--settlement', config, recipient),
    feeCollector: parseAddress('--settlement', config, collector),
  }
}

function firstOf(known: Organization | undefined, given: Options, chains: readonly ChainConfig[]): OrganizationSettlement {
  const before = known?.settlements[0]
  const { chain = before?.chainId.toString(), recipient = before?.recipient } = given
  if (chain === undefined || recipient === undefined) throw new UsageError('--chain, --token and --recipient say where the money goes.')
  const config = chainOf(chains, chain)
  const isKept = given.token === undefined && before?.chainId === config.chainId
  return {
    chainId: config.chainId,
    address: isKept ? before.address : tokenOf(given.token, config),
    recipient: parseAddress('--recipient', config, recipient),
    feeCollector: collectorOn(known?.settlements ?? [], config.chainId) ?? parseAddress('--recipient', config, recipient),
  }
}

function chainOf(chains: readonly ChainConfig[], id: string): ChainConfig {
  const config = chains.find(({ chainId }) => String(chainId) === id)
  if (!config) throw new UsageError(`--chain ${id} is not in TILL_CHAINS.`)
  return config
}

/** The option names a token by symbol or address. If two tokens share a symbol, only the address identifies one. */
function tokenOf(token: string | undefined, { chainId, tokens }: ChainConfig): string | null {
  const found = tokens.filter(({ symbol, address }) => symbol === token || (address !== null && address === canonicalToken(chainId, token)))
  if (found[0] && found.length === 1) return found[0].address
  const names = tokens.map(({ symbol }) => symbol).join(', ')
  throw new UsageError(`--token must name one token of chain ${chainId} by symbol or address; TILL_CHAINS has ${names}.`)
}

function parseAddress(option: string, config: ChainConfig, text: string): string {
  const { chainId } = config
  const addresses = config.family === 'bitcoin' ? addressesOn(chainId, config.network) : addressesOn(chainId)
  const parsed = addresses?.parse(text) ?? { problem: 'malformed' }
  if ('address' in parsed && parsed.address !== addresses?.nobody) return parsed.address
  if ('address' in parsed) throw new UsageError(`${option} is the zero address: money sent there is lost.`)
  if (parsed.problem === 'checksum')
    throw new UsageError(`${option} ${text} has a wrong checksum: a character may be mistyped. Copy it again.`)
  throw new UsageError(`${option} must be an address on chain ${chainId}, and is ${JSON.stringify(text)}.`)
}

function bps(option: string, value: string): number {
  if (/^\d{1,4}$/.test(value) && Number(value) <= 1000) return Number(value)
  throw new UsageError(`${option} must be a whole number from 0 to 1000, and is ${JSON.stringify(value)}.`)
}

/** Returns the exact text, since a float could change what becomes a part of every price. */
function dollars(option: string, value: string): string {
  if (/^(0|[1-9]\d{0,3})(\.\d{1,6})?$/.test(value) && Number(value) <= 1000) return value
  throw new UsageError(`${option} must be an amount of dollars from 0 to 1000 like 0.05, and is ${JSON.stringify(value)}.`)
}

function isOn(option: string, value: string): boolean {
  if (value === 'on' || value === 'off') return value === 'on'
  throw new UsageError(`${option} is on or off, and is ${JSON.stringify(value)}.`)
}
