/**
 * What is looked for before the payer types anything: a search needs two letters, and an empty list helps nobody. The
 * settlement token on other networks first, then what most people hold.
 */
export const firstSearches = (symbol: string | undefined): readonly string[] => [
  ...new Set([...(symbol && symbol.length > 1 ? [symbol] : []), 'USD', 'ETH', 'DAI']),
]
