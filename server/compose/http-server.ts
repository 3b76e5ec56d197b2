import type { Context } from 'hono'
import type { Logger } from 'pino'
import type { Shared } from '../config.ts'
import { addressNameOf, type Proxies, trustedProxies } from '../http/client-address.ts'
import { connectionLimit, type ConnectionLimit } from '../http/connection-limit.ts'
import { countryFrom } from '../http/country.ts'
import { listen, type Listening } from '../http/listen.ts'
import type { RequestBindings } from '../http/ready-response.ts'

export interface HttpServer extends Listening {
  readonly isTrustedProxy: Proxies
  readonly connections: ConnectionLimit
  /** Returns a name for the client's IP address, under which rate limits count its requests. */
  readonly addressOf: (c: Context) => string
}

export interface HttpServerParts {
  readonly config: Shared
  readonly log: Logger
  /** In local mode any client's country header is trusted, so that a developer can set it. */
  readonly isLocal: boolean
  /** A page-only process serves no upgrades to WebSocket. */
  readonly upgrades: boolean
}

export async function startHttpServer(
  { config, log, isLocal, upgrades }: HttpServerParts,
  fetch: (request: Request, env: RequestBindings) => Response | Promise<Response>,
): Promise<HttpServer> {
  const isTrustedProxy = trustedProxies(config.trustedProxies)
  const connections = connectionLimit(config.connectionsPerAddress, isTrustedProxy, () =>
    log.warn('an address holds as many connections as it may; if it is a proxy of yours, name it in TRUSTED_PROXIES'),
  )
  const parts = { header: config.countryHeader, isTrustedProxy, isLocal }
  const withCountry = (request: Request, env: RequestBindings) =>
    fetch(request, { ...env, country: countryFrom(request, env.incoming?.socket.remoteAddress ?? '', parts) })
  const listening = await listen(withCountry, { host: config.host, port: config.port, connections, isTrustedProxy, upgrades })
  return { ...listening, isTrustedProxy, connections, addressOf: (c) => addressNameOf(c, isTrustedProxy) }
}
