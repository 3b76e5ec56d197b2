import type { Sql } from './connect.ts'

export interface Key {
  readonly id: string
  readonly organizationId: string
  readonly secret: string
  readonly isInternal: boolean
}

export interface Keys {
  find(apiKey: string): Promise<Key | undefined>
  /** Writes down which keys were used since the last time: one statement, however many requests there were. */
  flush(): Promise<void>
}

/** What cannot be a key is not looked for: the database does not take every text. */
const form = /^[\x21-\x7e]{1,200}$/
const rememberedMs = 5_000
const remembered = 10_000

/** Keys are looked up on every request and change hardly ever: five seconds of memory, also of what is no key. */
export const keysOf = (sql: Sql, clock: () => number): Keys => {
  const known = new Map<string, { key: Key | undefined; until: number }>()
  const used = new Set<string>()
  return {
    async find(apiKey) {
      if (!form.test(apiKey)) return undefined
      const hit = known.get(apiKey)
      if (hit && hit.until > clock()) {
        if (hit.key) used.add(hit.key.id)
        return hit.key
      }
      const [row] = await sql`select id, organization_id, secret, is_internal from api_keys where api_key = ${apiKey} and active`
      const key = row && { id: row.id, organizationId: row.organization_id, secret: row.secret, isInternal: row.is_internal }
      if (known.size >= remembered) known.clear()
      known.set(apiKey, { key, until: clock() + rememberedMs })
      if (key) used.add(key.id)
      return key
    },
    async flush() {
      if (used.size === 0) return
      const ids = [...used]
      used.clear()
      await sql`update api_keys set last_used_at = now() where id = any(${ids})`
    },
  }
}
