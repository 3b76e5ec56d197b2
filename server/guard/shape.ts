import * as z from 'zod/mini'
import { canonicalAddress, canonicalToken } from '../../src/wire/addresses/canonical.ts'
import { chains } from '../../src/wire/chain.ts'
import { nativeAddress } from '../../src/wire/chain-facts.ts'
import { OrderTerms, type TermsSettlement } from '../../src/wire/terms/order-terms.ts'
import { termsAddress } from '../../src/wire/terms/terms-hash.ts'
import { feeTiers } from '../chains/evm/exchange/exchange.ts'
import { decodeRouterCall } from '../chains/evm/exchange/router-call.ts'
import type { GuardRequest } from '../chains/guard.ts'
import type { GuardExchange, GuardRules } from './rules.ts'

/** Returns why a guard never signs a request like this, whatever prices, limits and merchants say. */
export function wrongShape(request: GuardRequest, guard: string, rules: Pick<GuardRules, 'factory' | 'exchanges'>) {
  const { chainId, terms, move, reason } = request
  const same = (a: string, b: string) => canonicalAddress(chainId, a) === canonicalAddress(chainId, b)
  if (chains[chainId]?.family !== 'evm') return 'a chain without the factory'
  if (!z.safeParse(OrderTerms, terms).success) return 'no terms of an order'
  if (!same(terms.guard, guard)) return 'the terms name another guard'
  if (!same(terms.factory, rules.factory)) return 'the terms name another factory'
  if (move.nonce < 0n || move.nonce >= 2n ** 256n) return 'no nonce'
  if (move.legs.some(({ amount }) => amount <= 0n)) return 'a leg without an amount'
  if (reason.kind === 'conversion') return wrongConversion(request, rules)
  return wrongRefund(request) ?? (reason.kind === 'rescue' ? wrongRescue(request) : undefined)
}

/** A refund pays one receiver, and what its gas costs to a fee collector. */
function wrongRefund({ chainId, terms, move }: GuardRequest): string | undefined {
  const same = (a: string, b: string) => canonicalAddress(chainId, a) === canonicalAddress(chainId, b)
  const [receiver, gas, ...more] = move.legs
  if (move.conversion) return 'a refund that converts'
  if (canonicalToken(chainId, move.tokenIn) !== canonicalToken(chainId, move.tokenOut)) return 'a refund in another token'
  if (!receiver || more.length > 0) return 'a refund pays one receiver'
  const nobody = [nativeAddress, termsAddress(terms), terms.factory, move.tokenIn ?? nativeAddress]
  if (nobody.some((address) => same(address, receiver.to))) return 'nobody could spend this refund'
  if (gas && !collectors(chainId, terms).some((collector) => same(collector, gas.to)))
    return 'the gas of a refund goes to a fee collector of the terms'
  return undefined
}

/** The merchant has confirmed the recipients of the terms on this chain, so a rescue needs no request of his. */
function wrongRescue({ chainId, terms, move }: GuardRequest): string | undefined {
  const [receiver, gas] = move.legs
  const token = canonicalToken(chainId, move.tokenIn)
  const settlesIn = terms.settlements.some(({ chain_id, token: own }) => chain_id === chainId && canonicalToken(chainId, own) === token)
  if (settlesIn) return 'a rescue of a currency in which the order settles'
  const here = terms.settlements.filter(({ chain_id }) => chain_id === chainId).map(({ recipient }) => recipient)
  const recipients = here.length > 0 ? here : [terms.default_recipient]
  const isTheirs = recipients.some((recipient) => canonicalAddress(chainId, recipient) === canonicalAddress(chainId, receiver?.to ?? ''))
  if (!isTheirs || gas) return 'a rescue pays a recipient of the terms on this chain, or the default where there is none'
  return undefined
}

function wrongConversion(request: GuardRequest, { exchanges }: Pick<GuardRules, 'exchanges'>): string | undefined {
  const { chainId, terms, move } = request
  const same = (a: string, b: string) => canonicalAddress(chainId, a) === canonicalAddress(chainId, b)
  const [fee, ...more] = move.legs
  if (!move.conversion) return 'a conversion without a router'
  const { router, amountIn, leastOut } = move.conversion
  const exchange = exchanges.get(chainId)
  if (!exchange || !same(exchange.router, router)) return 'a router that is not allowed'
  if (amountIn <= 0n || leastOut <= 0n) return 'a conversion of nothing'
  const out = canonicalToken(chainId, move.tokenOut)
  if (canonicalToken(chainId, move.tokenIn) === out) return 'a conversion into the same token'
  const settlement = terms.settlements.find(({ chain_id, token }) => chain_id === chainId && canonicalToken(chainId, token) === out)
  if (!settlement) return 'a conversion into a token in which the order does not settle'
  if (more.length > 0 || (fee && !same(fee.to, settlement.fee_collector)))
    return 'a conversion pays a fee to the collector of the terms alone'
  return wrongRouterCall(request, exchange)
}

/** The call of the router has to be the move: what it takes, what it gives at least, to whom, and until when. */
function wrongRouterCall({ chainId, terms, move }: GuardRequest, { wrapped }: GuardExchange): string | undefined {
  const call = move.conversion && decodeRouterCall(move.conversion.data)
  if (!call) return 'a call of the router that is not one of ours'
  const { tokens, fees } = call.route
  const inPool = (token: string | null) => canonicalToken(chainId, token) ?? canonicalAddress(chainId, wrapped)
  const isToken = (token: string | null, claimed: string | null) => canonicalToken(chainId, token) === canonicalToken(chainId, claimed)
  if (!isToken(call.tokenIn, move.tokenIn) || tokens[0] !== inPool(move.tokenIn)) return 'a router that takes another token'
  if (!isToken(call.tokenOut, move.tokenOut) || tokens.at(-1) !== inPool(move.tokenOut)) return 'a router that gives another token'
  if (new Set(tokens).size < tokens.length) return 'a route that comes back to a token'
  if (!fees.every((fee) => feeTiers.some((tier) => tier === fee))) return 'a route through a pool with an unusual fee'
  if (call.amountIn !== move.conversion?.amountIn) return 'a router that takes another amount'
  if (call.leastOut !== move.conversion.leastOut) return 'a router that may give less'
  if (call.recipient !== canonicalAddress(chainId, termsAddress(terms))) return 'a router that pays somebody else'
  if (call.deadline !== move.deadline) return 'a router with another deadline'
  return undefined
}

/** On a chain without a settlement, any collector of the terms may be paid for gas. */
function collectors(chainId: number, { settlements }: OrderTerms): string[] {
  const here = settlements.filter(({ chain_id }) => chain_id === chainId)
  const collectorOf = ({ fee_collector }: TermsSettlement) => fee_collector
  return (here.length > 0 ? here : settlements).map(collectorOf)
}
