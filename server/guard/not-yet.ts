/** The guard does not sign now, and may sign the same move later: a price is missing, or this hour's limit is used up. */
export class GuardNotYet extends Error {
  override readonly name = 'GuardNotYet'
  readonly code = 'guard_not_yet'
}
