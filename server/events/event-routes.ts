import { endpoints } from '../../src/wire/endpoints.ts'
import { ApiError } from '../http/api-error.ts'
import type { Sql } from '../database/connect.ts'
import type { Route } from '../http/route.ts'
import { type EventIds, storedEventIds } from './event-ids.ts'
import { listEvents } from './listed-events.ts'

/** The same for an id that was never given out, so that nobody learns what exists. */
const unknownEvent = () =>
  new ApiError(400, 'Invalid query: after: must be an event of the last 30 days. Leave it out to begin with the oldest.', {
    issues: [{ path: 'after', message: 'must be an event of the last 30 days' }],
  })

export function events(route: Route, sql: Sql): void {
  let stored: Promise<EventIds> | undefined
  const known = (): Promise<EventIds> =>
    (stored ??= storedEventIds(sql).catch((error: unknown) => {
      stored = undefined
      throw error
    }))

  route(endpoints.listEvents, async ({ query, organizationId }) => {
    const ids = await known()
    const after = query.after === undefined ? undefined : ids.seqOf(organizationId, query.after)
    if (query.after !== undefined && after === undefined) throw unknownEvent()
    const listed = await listEvents(sql, organizationId, { ...query, after })
    if (!listed) throw unknownEvent()
    // The stored text is what webhooks were sent, so it is only given its id.
    const data = listed.events.map(({ seq, body }) => ({ id: ids.idOf(organizationId, seq), ...(JSON.parse(body) as object) }))
    return { body: { data, has_more: listed.hasMore } }
  })
}
