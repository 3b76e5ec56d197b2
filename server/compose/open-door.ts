import type { Context } from 'hono'
import type { Logger } from 'pino'
import type { Shared } from '../config.ts'
import { callerOf, type Proxies, trustedProxies } from '../http/client-address.ts'
import { connectionLimit, type ConnectionLimit } from '../http/connection-limit.ts'
import { countryFrom } from '../http/country.ts'
import { listen, type Listening } from '../http/listen.ts'
import type { Incoming } from '../http/ready-response.ts'

export interface Door extends Listening {
  readonly isTrustedProxy: Proxies
  readonly connections: ConnectionLimit
  /** The name under which a client's requests are counted. */
  readonly addressOf: (c: Context) => string
}

export interface DoorParts {
  readonly config: Shared
  readonly log: Logger
  /** Local mode: a country header is believed from anybody. */
  readonly isLocal: boolean
  /** Whether upgrades to WebSocket are served. */
  readonly upgrades: boolean
}

/** Listens for requests, with the limits on connections, and adds the payer's country to each. The same for a service and for pages alone. */
export async function openDoor(
  { config, log, isLocal, upgrades }: DoorParts,
  fetch: (request: Request, env: Incoming) => Response | Promise<Response>,
): Promise<Door> {
  const isTrustedProxy = trustedProxies(config.trustedProxies)
  const connections = connectionLimit(config.connectionsPerAddress, isTrustedProxy, () =>
    log.warn('an address holds as many connections as it may; if it is a proxy of yours, name it in TRUSTED_PROXIES'),
  )
  const parts = { header: config.countryHeader, isTrustedProxy, isLocal }
  const withCountry = (request: Request, env: Incoming) =>
    fetch(request, { ...env, country: countryFrom(request, env.incoming?.socket.remoteAddress ?? '', parts) })
  const listening = await listen(withCountry, { host: config.host, port: config.port, connections, isTrustedProxy, upgrades })
  return { ...listening, isTrustedProxy, connections, addressOf: (c) => callerOf(c, isTrustedProxy) }
}
