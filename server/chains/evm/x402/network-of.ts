/** CAIP-2 names EVM chains like this. */
export const networkOf = (chainId: number): `eip155:${number}` => `eip155:${chainId}`
