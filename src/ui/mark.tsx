/** The paths are in the HTML (symbol-sheet.tsx), so this only refers to them, and draws nothing for what has no mark. */
export const Mark = ({ of }: { of: string }) => (
  <svg class="m" aria-hidden="true">
    <use href={`#m-${of}`} />
  </svg>
)

export const NetworkMark = ({ chainId }: { chainId: number }) => <Mark of={`n${chainId}`} />

export const TokenMark = ({ symbol }: { symbol: string }) => <Mark of={`t${symbol.toUpperCase()}`} />

/** The network is a square on the corner of its token, which is round. A token without a mark shows its letters. */
export const Coin = ({ of: { symbol, chain_id: chainId } }: { of: { readonly symbol: string; readonly chain_id: number } }) => (
  <span class="tile coin" aria-hidden="true">
    {symbol.slice(0, 4)}
    <TokenMark symbol={symbol} />
    <NetworkMark chainId={chainId} />
  </span>
)
