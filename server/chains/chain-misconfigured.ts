/** The chain is reachable but not configured correctly, so retrying does not help. */
export class ChainMisconfigured extends Error {
  override readonly name = 'ChainMisconfigured'
  readonly code = 'chain_misconfigured'
}
