import { canonicalToken } from '../../src/wire/addresses/canonical.ts'
import type { AddressCodec } from '../../src/wire/addresses/codec.ts'
import { addressesOn } from '../../src/wire/addresses/codecs.ts'
import type { ChainId } from '../../src/wire/chain.ts'
import type { CurrencyBase } from '../../src/wire/currency.ts'
import type { ProblemCode } from '../../src/wire/problems.ts'
import { chainOf } from '../chains/chain.ts'
import type { Asset } from './model/asset.ts'
import { invalid } from '../http/api-error.ts'
import type { Engine } from './engine.ts'
import type { Sql, Tx } from '../database/connect.ts'
import { ordersByDeposit } from './order-queries.ts'

function refuse(member: string, message: string, problem?: ProblemCode): never {
  throw invalid(member, message, message, { problem })
}

const refuseMistyped = (member: string): never =>
  refuse(
    member,
    `${member} has a wrong checksum, so a character may be mistyped. Copy it again. An EVM address may also be written in small letters.`,
    'address_mistyped',
  )

/** Returns the canonical form of an address that gets money, and refuses what is malformed, mistyped or of another network. */
export function parseAddress(addresses: AddressCodec, text: string, member: string): string {
  const parsed = addresses.parse(text)
  if ('address' in parsed) return parsed.address
  switch (parsed.problem) {
    case 'checksum':
      return refuseMistyped(member)
    case 'malformed':
    case 'other_network':
      return refuse(member, `${member} is not an address on this network.`)
    default:
      return parsed.problem satisfies never
  }
}

/** Only a wrong checksum is refused here, because a token that has no address of its chain is not found anyway. */
export function parseAsset({ chain_id: chainId, address }: CurrencyBase, member: string): Pick<Asset, 'chainId' | 'address'> {
  const parsed = address ? addressesOn(chainId)?.parse(address) : undefined
  if (parsed && 'problem' in parsed && parsed.problem === 'checksum') refuseMistyped(`${member}.address`)
  return { chainId, address: canonicalToken(chainId, address) }
}

/** Also refuses the zero address, token contracts and our own deposit addresses. */
export async function payableAddress(engine: Engine, sql: Sql | Tx, chainId: ChainId, text: string, member: string): Promise<string> {
  const { addresses } = chainOf(engine.chains.values(), chainId)
  const address = parseAddress(addresses, text, member)
  if (address === addresses.nobody) refuse(member, `${member} is the zero address: money sent there is lost.`, 'address_lost')
  const isToken = [...engine.chains.values()].some((chain) => chain.tokens.some((token) => token.address === address))
  if (isToken) refuse(member, `${member} is a token's contract: money sent there is lost.`, 'address_lost')
  if ((await ordersByDeposit(sql, [address])).size > 0) refuse(member, `${member} is a deposit address of an order.`, 'address_ours')
  return address
}
