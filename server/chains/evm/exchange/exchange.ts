/** A deployment of Uniswap v3. The router and the quoter know the factory's pools, and wrap the native coin as this token. */
export interface Exchange {
  /** SwapRouter02. */
  readonly router: string
  /** QuoterV2. */
  readonly quoter: string
  readonly factory: string
  readonly wrapped: string
}

/** Pools take one of these fees, in millionths of what is sold. Pairs that do not stand for the same money are traded most in the first two. */
export const feeTiers = [500, 3_000, 100, 10_000] as const

/** Pools know tokens alone, so the coin is traded as the token that wraps it. */
export const poolToken = ({ wrapped }: Pick<Exchange, 'wrapped'>, token: string | null): string => (token ?? wrapped).toLowerCase()
