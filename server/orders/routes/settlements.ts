import { endpoints } from '../../../src/wire/endpoints.ts'
import type { Settlement, Settlements } from '../../../src/wire/settlement.ts'
import { ApiError, invalid } from '../../http/api-error.ts'
import type { Route } from '../../http/route.ts'
import { enqueueMail } from '../../invoices/mails.ts'
import { type Organization, organizationById } from '../../organizations/organizations.ts'
import {
  askForSettlements,
  changesPerDay,
  type OrganizationSettlement,
  type OrganizationSettlements,
  type PendingSettlements,
  pendingSettlements,
} from '../../organizations/settlements.ts'
import type { Engine } from '../engine.ts'
import { newId } from '../new-order.ts'
import { checkSettlements, requireCodeOnAll } from '../settlement-list.ts'

export interface SettlementRules {
  /** A list that is asked for by API comes into force after this time, in which whoever reads the mail can cancel it. */
  readonly delaySeconds: number
  readonly sendsMail: boolean
  /** Returns why an organisation's own guard could not sign for refunds where this list settles. It reads chains. */
  guardProblem(guard: string, settlements: OrganizationSettlements): Promise<string | undefined>
}

export function settlements(route: Route, engine: Engine, rules: SettlementRules): void {
  route(endpoints.getSettlements, async ({ organizationId }) => ({
    body: shown(await organizationById(engine.sql, organizationId), await pendingSettlements(engine.sql, organizationId)),
    headers: { 'cache-control': 'no-store' },
  }))

  route(
    endpoints.putSettlements,
    async ({ body, organizationId }) => {
      const organization = await organizationById(engine.sql, organizationId)
      requireAnnounceable(organization, rules)
      const list = await checkSettlements(engine, engine.sql, organization, body)
      if (!body.confirmed) await requireCodeOnAll(engine, list)
      await requireGuardOnAll(organization, list, rules)
      return { organization, list }
    },
    async ({ organizationId, key, tx }, { organization, list }) => {
      const change = await askForSettlements(tx, organizationId, {
        settlements: list,
        delaySeconds: rules.delaySeconds,
        token: newId('cancel'),
      })
      if (change === 'too_often')
        throw new ApiError(429, `This list can be changed ${changesPerDay} times a day, since each change is mailed.`, undefined, {
          'retry-after': '3600',
        })
      engine.log.warn(
        { organization: organizationId, key: key.id, change: change.number, inForceAt: change.inForceAt },
        'an organisation changes where it is paid',
      )
      if (rules.delaySeconds === 0) return { body: shown({ ...organization, settlements: list }, undefined) }
      await enqueueMail(tx, { id: newId('mail'), kind: 'settlements_changed', settlementChange: change.number })
      return { body: shown(organization, change) }
    },
  )
}

/** A stolen secret must not redirect money unnoticed, so a change of which nobody can be notified is refused. */
function requireAnnounceable({ email }: Organization, { delaySeconds, sendsMail }: SettlementRules): void {
  if (delaySeconds === 0) return
  if (email === undefined || !sendsMail)
    throw new ApiError(
      422,
      email === undefined
        ? 'Nobody can be notified of this change: the operator of this service has no mail address of your organisation.'
        : 'Nobody can be notified of this change: this service sends no mail. Its operator can make the change.',
    )
}

/** Otherwise refunds of orders that are paid on a new chain would wait for a signature that nobody can give. */
async function requireGuardOnAll({ guard }: Organization, list: OrganizationSettlements, { guardProblem }: SettlementRules): Promise<void> {
  const problem = guard === undefined ? undefined : await guardProblem(guard, list)
  if (problem !== undefined) throw invalid('settlements', 'your guard cannot sign there', problem, { problem: 'guard_misconfigured' })
}

function shown({ settlements: list }: Pick<Organization, 'settlements'>, pending: PendingSettlements | undefined): Settlements {
  return {
    settlements: wireList(list),
    pending: pending && {
      settlements: wireList(pending.settlements),
      asked_at: pending.askedAt.toISOString(),
      in_force_at: pending.inForceAt.toISOString(),
    },
  }
}

const wireList = (list: OrganizationSettlements): Settlement[] =>
  list.map(({ chainId, address, recipient, feeCollector }: OrganizationSettlement) => ({
    chain_id: chainId,
    address,
    recipient,
    fee_collector: feeCollector,
  }))
