import { randomBytes } from 'node:crypto'
import { isAddressOn } from '../../src/wire/address.ts'
import { transaction } from '../database/transaction.ts'
import { parseArgs } from 'node:util'
import * as z from 'zod/mini'
import { Origin } from '../../src/wire/scalars.ts'
import type { ChainConfig } from '../chains/table.ts'
import { hasValidChecksum } from '../chains/evm/checksum.ts'
import { type NewKey, organizationById, type Organization, putOrganization } from '../organizations/organizations.ts'
import { newId } from '../orders/new-order.ts'
import { type Command, configuredChains, UsageError, withDatabase } from './command.ts'

/** Creates an organisation and prints its first key with the secret, which is not shown again. With `--id` it changes an existing one. */
export const organization: Command = {
  usage: `organisation --name NAME --chain ID --token SYMBOL --recipient 0x… [more]
  Creates an organisation with its first key; its sales are settled in that token to that address.
  organisation --id org_… [what changes]
  Changes one. Existing orders keep their terms.
  --fee-collector 0x…   where the fees go (default: the recipient)
  --fee-bps 0           your fee in hundredths of a percent
  --tolerance-bps 0     how much less than asked for still counts as paid, up to 1000
  --gas-usd 0           what each order adds for the network's fee, in dollars, up to 1000
  --unsigned-orders off on: the publishable key alone may create DEPOSIT orders, so anybody who reads it off a page may
  --embed-origin URL    a site that may show the checkout in a frame; may be repeated
  --test                its orders are not live`,
  async run(args, env, say) {
    const { values } = parseArgs({ args: [...args], options })
    const chains = configuredChains(env)
    await withDatabase(env, async (sql) => {
      const known = values.id === undefined ? undefined : await organizationById(sql, values.id)
      const made = organizationFrom(known, values, chains)
      const key = known ? undefined : newKey(made.isLive, 'First key')
      await transaction(sql, (tx) => putOrganization(tx, made, key ? [key] : []))
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
  'fee-collector': { type: 'string' },
  'fee-bps': { type: 'string' },
  'tolerance-bps': { type: 'string' },
  'gas-usd': { type: 'string' },
  'unsigned-orders': { type: 'string' },
  'embed-origin': { type: 'string', multiple: true },
  test: { type: 'boolean' },
} as const

type Options = ReturnType<typeof parseArgs<{ options: typeof options }>>['values']

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
  const settlement = settlementOf(known, given, chains)
  const feeCollector = given['fee-collector'] ?? known?.feeCollector ?? settlement.recipient
  requireAddress('--fee-collector', settlement.chainId, feeCollector)
  for (const origin of given['embed-origin'] ?? [])
    if (!z.safeParse(Origin, origin).success) throw new UsageError(`--embed-origin is an origin like https://shop.example, not ${origin}.`)
  const name = given.name ?? known?.name
  if (!name) throw new UsageError('--name is missing.')
  return {
    id: known?.id ?? newId('org'),
    name,
    isLive: given.test === undefined ? (known?.isLive ?? true) : !given.test,
    settlement,
    feeCollector: feeCollector.toLowerCase(),
    fees: {
      ...(known?.fees ?? noFees),
      ...(given['fee-bps'] === undefined ? {} : { customBps: bps('--fee-bps', given['fee-bps']) }),
      ...(given['gas-usd'] === undefined ? {} : { gasUsd: dollars('--gas-usd', given['gas-usd']) }),
    },
    toleranceBps: given['tolerance-bps'] === undefined ? (known?.toleranceBps ?? 0) : bps('--tolerance-bps', given['tolerance-bps']),
    embedOrigins: given['embed-origin'] ?? known?.embedOrigins ?? [],
    unsignedOrders:
      given['unsigned-orders'] === undefined ? (known?.unsignedOrders ?? false) : isOn('--unsigned-orders', given['unsigned-orders']),
  }
}

const noFees = { customBps: 0, protocolBps: 0, relayerUsd: '0', gasUsd: '0' }

function settlementOf(known: Organization | undefined, given: Options, chains: readonly ChainConfig[]): Organization['settlement'] {
  const { chain = known?.settlement.chainId.toString(), recipient = known?.settlement.recipient } = given
  if (chain === undefined || recipient === undefined) throw new UsageError('--chain, --token and --recipient say where the money goes.')
  const config = chains.find(({ chainId }) => String(chainId) === chain)
  if (!config) throw new UsageError(`--chain ${chain} is not in TILL_CHAINS.`)
  requireAddress('--recipient', config.chainId, recipient)
  return { chainId: config.chainId, address: tokenOf(known, given, config), recipient: recipient.toLowerCase() }
}

/** The option names a token by symbol or address. If two tokens share a symbol, only the address identifies one. */
function tokenOf(known: Organization | undefined, given: Options, { chainId, tokens }: ChainConfig): string | null {
  if (given.token === undefined && known?.settlement.chainId === chainId) return known.settlement.address
  const found = tokens.filter(
    ({ symbol, address }) => symbol === given.token || (address !== null && address === given.token?.toLowerCase()),
  )
  if (found[0] && found.length === 1) return found[0].address
  const names = tokens.map(({ symbol }) => symbol).join(', ')
  throw new UsageError(`--token must name one token of chain ${chainId} by symbol or address; TILL_CHAINS has ${names}.`)
}

function requireAddress(option: string, chainId: number, address: string): void {
  if (!isAddressOn(chainId, address))
    throw new UsageError(`${option} must be an address on chain ${chainId}, and is ${JSON.stringify(address)}.`)
  if (!hasValidChecksum(address))
    throw new UsageError(`${option} ${address} has a wrong checksum: a character may be mistyped. Copy it again.`)
  if (/^0x0+$/i.test(address)) throw new UsageError(`${option} is the zero address: money sent there is lost.`)
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
