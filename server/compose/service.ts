import { setMaxListeners } from 'node:events'
import { Hono } from 'hono'
import { createHub } from '../events/hub.ts'
import type { LogEvent } from '../events/log.ts'
import { sockets, type Sockets } from '../events/sockets.ts'
import { errorBody } from '../http/api-error.ts'
import { addressName } from '../http/client-address.ts'
import { pause } from '../lib/pause.ts'
import { metrics } from '../monitoring/metrics.ts'
import type { Engine } from '../orders/engine.ts'
import { orderIsOf } from '../orders/order-queries.ts'
import { makeFirstAddresses } from './addresses-ready.ts'
import { createCore } from './core.ts'
import { startJobs } from './jobs.ts'
import { mountService } from './mount-service.ts'
import { startHttpServer } from './http-server.ts'
import type { ServiceParts } from './service-parts.ts'

export interface Running {
  readonly payUrl: string
  readonly metricsPort: number
  readonly engine: Engine
  readonly sockets: Pick<Sockets, 'dropConnections'>
  stop(): Promise<void>
}

export async function startService(parts: ServiceParts): Promise<Running> {
  const { config, sql, log } = parts
  const stopping = new AbortController()
  const { signal } = stopping
  // Every job adds listeners to this signal, so Node's warning about more than ten of them would be wrong.
  setMaxListeners(0, signal)
  const app = new Hono()
  let isReady = false
  let socketCount = () => 0
  const figures = await metrics({ ...parts, host: '127.0.0.1', port: config.metricsPort, sockets: () => socketCount() })
  const http = await startHttpServer({ ...parts, upgrades: true }, async (request, env) => {
    const began = performance.now()
    const response = isReady && !signal.aborted ? await app.fetch(request, env) : unavailable(signal.aborted)
    figures.request(request.method, response.status, (performance.now() - began) / 1000)
    return response
  })
  const name = config.host === '127.0.0.1' || config.host === '::1' ? 'localhost' : config.host
  const payUrl = config.payUrl ?? `http://${name}:${http.port}`
  const core = createCore(parts, payUrl)
  const { engine, keys, costs, deliveries } = core
  mountService(app, http, parts, core, signal)

  const hub = createHub()
  const live = sockets(http.server, {
    hub,
    keys,
    clock: engine.clock,
    misses: core.limits.misses,
    connections: http.connections,
    addressOf: (request) => addressName(request, http.isTrustedProxy),
    isOrderOf: (organizationId, orderId) => orderIsOf(sql, organizationId, orderId),
    path: '/v3/ws',
  })
  socketCount = live.count
  await costs
    .refresh(AbortSignal.timeout(5_000))
    .catch((error: unknown) => log.warn({ err: error }, 'cannot read fee rates; starting without them'))
  await makeFirstAddresses(engine, parts.chains, signal)
  const onEvents = (events: readonly LogEvent[]) => {
    hub.publish(events)
    figures.events(events.length)
    deliveries.wake()
  }
  const jobs = startJobs(parts, core, { onEvents, onSecondNode: figures.secondNode }, signal)
  isReady = true

  return {
    payUrl,
    metricsPort: figures.port,
    engine,
    sockets: live,
    async stop() {
      stopping.abort()
      const closed = http.close()
      await live.close()
      await Promise.race([closed, pause(5_000)])
      http.server.closeAllConnections()
      await Promise.allSettled(jobs)
      await keys.flush().catch((error: unknown) => log.warn({ err: error }, 'cannot write when keys were last used; the times are lost'))
      hub.close()
      await figures.close()
      await sql.end({ timeout: 3 })
    },
  }
}

const unavailable = (isStopping: boolean): Response =>
  Response.json(
    errorBody(503, isStopping ? 'The service is shutting down. Try again in a moment.' : 'The service is starting. Try again in a moment.'),
    { status: 503, headers: { 'retry-after': '1' } },
  )
