/**
 * A search needs at least two characters, so these searches fill the list before the payer types anything. The settlement token on other
 * networks comes first, and then the most common tokens.
 */
export const firstSearches = (symbol: string | undefined): readonly string[] => [
  ...new Set([...(symbol && symbol.length > 1 ? [symbol] : []), 'USD', 'ETH', 'DAI']),
]
