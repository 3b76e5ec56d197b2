import { canonicalAddress } from '../../src/wire/addresses/canonical.ts'
import { chainFacts } from '../../src/wire/chain.ts'
import type { SettlementsChange } from '../../src/wire/settlement.ts'
import type { Sql, Tx } from '../database/connect.ts'
import { ApiError, invalid } from '../http/api-error.ts'
import type { Organization } from '../organizations/organizations.ts'
import { collectorOn, maxSettlements, type OrganizationSettlement, type OrganizationSettlements } from '../organizations/settlements.ts'
import type { Engine } from './engine.ts'
import { sameAsset } from './model/asset.ts'
import { parseAsset, payableAddress } from './payable-address.ts'
import { tokenOf } from './quoting.ts'

const timeoutMs = 6_000

/** Returns the list that a merchant asks for, or refuses it by the path of the member that is wrong. Nothing is changed. */
export async function checkSettlements(
  engine: Engine,
  sql: Sql | Tx,
  organization: Organization,
  { settlements: asked }: SettlementsChange,
): Promise<OrganizationSettlements> {
  if (asked.length > maxSettlements)
    throw invalid('settlements', `at most ${maxSettlements}`, `An organisation has at most ${maxSettlements} settlements.`)
  const list: OrganizationSettlement[] = []
  for (const [index, entry] of asked.entries()) {
    const path = `settlements.${index}`
    const named = parseAsset(entry, path)
    if (!engine.sees(organization.isLive, named.chainId) || !tokenOf(engine, named))
      throw invalid(path, 'not available here', `${path} names a currency that is not available here.`)
    if (list.some((other) => sameAsset(other, named)))
      throw invalid(path, 'named twice', `${path} names a currency that the list has already.`)
    const recipient = await payableAddress(engine, sql, named.chainId, entry.recipient, `${path}.recipient`)
    list.push({ ...named, recipient, feeCollector: collectorOf(organization, named, entry.fee_collector, path) })
  }
  const [first, ...others] = list
  if (!first) throw invalid('settlements', 'at least one', 'An organisation needs at least one settlement.')
  return [first, ...others]
}

/** The operator names the collectors, so a merchant may only repeat them. */
function collectorOf(
  { settlements }: Organization,
  named: Pick<OrganizationSettlement, 'chainId' | 'address'>,
  given: string | undefined,
  path: string,
): string {
  const known = settlements.find((other) => sameAsset(other, named))?.feeCollector ?? collectorOn(settlements, named.chainId)
  if (known === undefined)
    throw invalid(
      path,
      'the operator adds it',
      `${path} is on a kind of chain for which only the operator of this service can add the first settlement.`,
    )
  if (given !== undefined && canonicalAddress(named.chainId, given) !== canonicalAddress(named.chainId, known))
    throw new ApiError(403, `${path}.fee_collector is set by the operator of this service: leave it out.`)
  return known
}

/**
 * Refuses a recipient that is a contract on one chain of the list and nothing on another. Its owner may not be able to use the second
 * address at all. Never call it with a transaction open, since it reads chains.
 */
export async function requireCodeOnAll(engine: Engine, settlements: OrganizationSettlements): Promise<void> {
  const recipients = [...new Set(settlements.map(({ recipient }) => recipient))]
  await Promise.all(
    recipients.map(async (recipient) => {
      const chainIds = [...new Set(settlements.filter((entry) => entry.recipient === recipient).map(({ chainId }) => chainId))]
      const chains = chainIds.flatMap((id) => engine.chains.get(id) ?? []).filter(({ hasCode }) => hasCode)
      if (chains.length < 2) return
      const codes = await Promise.all(chains.map((chain) => chain.hasCode?.(recipient, AbortSignal.timeout(timeoutMs))))
      if (new Set(codes).size < 2) return
      const name = (has: boolean) => chainFacts(chains[codes.indexOf(has)]?.id ?? 0)?.name
      const index = settlements.findIndex((entry) => entry.recipient === recipient)
      throw invalid(
        `settlements.${index}.recipient`,
        'a contract on one chain only',
        `This recipient is a contract on ${name(true)} and nothing on ${name(false)}. If it is yours on both, send the list again with confirmed: true.`,
      )
    }),
  )
}

/** Names a currency and who receives it, for people. */
export function settlementLine(
  engine: Pick<Engine, 'chains'>,
  settlement: Pick<OrganizationSettlement, 'chainId' | 'address' | 'recipient'>,
): string {
  const { chainId, address, recipient } = settlement
  return `${tokenOf(engine, settlement)?.symbol ?? address} on ${chainFacts(chainId)?.name ?? chainId} to ${recipient}`
}
