import { transaction } from '../database/transaction.ts'
import { enqueueNotice } from '../invoices/mails.ts'
import { pause } from '../lib/pause.ts'
import type { Engine } from '../orders/engine.ts'
import { newId } from '../orders/new-order.ts'
import { markFailingEndpoints } from '../webhooks/endpoint-health.ts'

const everyMs = 60_000

/** Marks webhooks that have accepted nothing for three days, and mails their merchants. */
export async function watchWebhooks(engine: Engine, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await reportFailingWebhooks(engine).catch((error: unknown) => {
      if (!signal.aborted) engine.log.warn({ err: error }, 'cannot check which webhooks are failing; retrying')
    })
    await pause(everyMs, signal)
  }
}

export async function reportFailingWebhooks({ sql, log }: Pick<Engine, 'sql' | 'log'>): Promise<void> {
  await transaction(sql, async (tx) => {
    for (const { webhookId, organizationId, url, since } of await markFailingEndpoints(tx)) {
      log.warn({ webhook: webhookId, organization: organizationId, since }, 'a webhook has accepted nothing for three days')
      const notice = { kind: 'webhook_failing', webhookId, host: new URL(url).host, since: since.toISOString() } as const
      await enqueueNotice(tx, { id: newId('mail'), organizationId, key: `webhook_failing ${webhookId} ${notice.since}`, notice })
    }
  })
}
