import { chainFacts } from '../../../wire/chain-facts.ts'

/** Exchanges have different names for a network, so this lists them, the most likely first. */
export const exchangeNames = (chainId: number): readonly string[] => {
  const facts = chainFacts(chainId)
  if (!facts) return []
  const also = { 1: 'Ethereum', 56: 'BNB Smart Chain', 8453: 'Base Mainnet', 10: 'OP Mainnet', 42161: 'Arbitrum' }[chainId]
  return also && also !== facts.exchangeName ? [facts.exchangeName, also] : [facts.exchangeName]
}

const lookAlikes = [8453, 1, 56, 137] as const

/** An EVM address is valid on each of these networks, so a payer who picks the wrong one gets no error. */
export const mistakenNetworks = (chainId: number): readonly string[] =>
  chainFacts(chainId)?.family === 'evm' ? lookAlikes.filter((id) => id !== chainId).flatMap((id) => chainFacts(id)?.exchangeName ?? []) : []
