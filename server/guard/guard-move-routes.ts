import { endpoints } from '../../src/wire/endpoints.ts'
import type { GuardMove } from '../../src/wire/guard-move.ts'
import { invalid, notFound } from '../http/api-error.ts'
import type { Route } from '../http/route.ts'
import { type Approval, openApprovals } from './approvals.ts'
import { type ApprovalParts, signApproval } from './sign-approval.ts'

const timeoutMs = 6_000

/** A merchant whose own guard signs reads here what waits for it, and hands the signatures in. */
export function guardMoves(route: Route, parts: ApprovalParts): void {
  route(endpoints.listGuardMoves, async ({ organizationId, query: { limit, offset } }) => {
    const { approvals, total } = await openApprovals(parts.sql, { organizationId, limit, offset })
    return { body: { data: approvals.map(shown), pagination: { total_count: total, limit, offset } } }
  })

  route(endpoints.signGuardMove, async ({ params: { digest }, body, organizationId }) => {
    const signature = `0x${body.signature.slice(2)}` as const
    const result = await signApproval(parts, { digest, signature, organizationId }, AbortSignal.timeout(timeoutMs))
    switch (result.state) {
      case 'signed':
        return { body: shown(result.approval) }
      case 'unknown':
        throw notFound('move that waits for a signature')
      case 'not_configured':
        throw invalid('digest', 'not available here', `Chain ${result.approval.chainId} is not available here any more.`, {
          problem: 'chain_not_available',
        })
      case 'not_accepted':
        throw invalid(
          'signature',
          'not accepted',
          `The guard ${result.approval.guard} does not accept this signature. Nothing was changed.`,
          {
            problem: 'signature_not_accepted',
          },
        )
      default:
        return result satisfies never
    }
  })
}

const shown = ({ digest, orderId, chainId, guard, isSigned, askedAt, deadline, typedData }: Approval): GuardMove => ({
  digest,
  order_id: orderId,
  chain_id: chainId,
  guard,
  state: isSigned ? 'signed' : 'waiting',
  asked_at: askedAt.toISOString(),
  deadline: deadline.toISOString(),
  typed_data: typedData,
})
