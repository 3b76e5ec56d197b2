/** What the doors know of a key; who looks them up is the organisations' business. */
export interface Key {
  readonly id: string
  readonly organizationId: string
  readonly secret: string
  readonly isInternal: boolean
}

export interface Keys {
  find(apiKey: string): Promise<Key | undefined>
  /** Those of these keys that are switched on now, whatever is remembered of them. */
  active(apiKeys: readonly string[]): Promise<ReadonlySet<string>>
  /** Writes down which keys were used since the last time: one statement, however many requests there were. */
  flush(): Promise<void>
}
