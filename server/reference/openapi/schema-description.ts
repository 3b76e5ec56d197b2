export interface SchemaDescription {
  readonly about?: string
  readonly members?: Readonly<Record<string, string>>
}
