import type { Sql } from '../database/connect.ts'
import type { Key, Keys } from '../http/access.ts'

/** PostgreSQL rejects some texts, such as those with a NUL, so a text that cannot be a key is not looked up. */
const form = /^[\x21-\x7e]{1,200}$/
const cacheForMs = 5_000
const maxCached = 10_000

/** Unknown keys are cached apart, so that guesses evict no real ones. Lookups during a query are batched, so they take one connection. */
export function keysOf(sql: Sql, clock: () => number): Keys {
  const known = new Map<string, { key: Key; until: number }>()
  const unknown = new Map<string, number>()
  const used = new Set<string>()
  let reading: Promise<unknown> = Promise.resolve()
  let next: { readonly wanted: Set<string>; readonly found: Promise<ReadonlyMap<string, Key>> } | undefined

  const read = async (wanted: readonly string[]): Promise<ReadonlyMap<string, Key>> => {
    const rows = await sql`
      select api_key, k.id, organization_id, is_live, secret, is_internal from api_keys k join organizations o on o.id = organization_id
      where api_key = any(${wanted as string[]}) and active`
    return new Map(
      rows.map((row) => [
        row.api_key as string,
        { id: row.id, organizationId: row.organization_id, isLive: row.is_live, secret: row.secret, isInternal: row.is_internal },
      ]),
    )
  }
  const lookUp = (apiKey: string): Promise<ReadonlyMap<string, Key>> => {
    if (!next) {
      const wanted = new Set<string>()
      const found = reading
        .catch(() => undefined)
        .then(() => {
          next = undefined
          return read([...wanted])
        })
      reading = found
      next = { wanted, found }
    }
    next.wanted.add(apiKey)
    return next.found
  }
  const remember = <V>(memory: Map<string, V>, apiKey: string, value: V): void => {
    if (memory.size >= maxCached) memory.clear()
    memory.set(apiKey, value)
  }

  return {
    async find(apiKey) {
      if (!form.test(apiKey) || (unknown.get(apiKey) ?? 0) > clock()) return undefined
      const hit = known.get(apiKey)
      const key = hit && hit.until > clock() ? hit.key : (await lookUp(apiKey)).get(apiKey)
      if (!key) {
        known.delete(apiKey)
        remember(unknown, apiKey, clock() + cacheForMs)
        return undefined
      }
      if (key !== hit?.key) remember(known, apiKey, { key, until: clock() + cacheForMs })
      used.add(key.id)
      return key
    },
    async active(apiKeys) {
      const rows = await sql`select api_key from api_keys where api_key = any(${apiKeys as string[]}) and active`
      return new Set(rows.map((row) => row.api_key as string))
    },
    async flush() {
      if (used.size === 0) return
      const ids = [...used]
      used.clear()
      await sql`update api_keys set last_used_at = now() where id = any(${ids})`
    },
  }
}
