import { isAddressOn } from '../../src/wire/address.ts'
import { type CurrencyBase, nativeAddress } from '../../src/wire/currency.ts'
import type { ProblemCode } from '../../src/wire/problems.ts'
import { hasValidChecksum } from '../chains/evm/checksum.ts'
import { type Asset, canonicalAddress } from './model/asset.ts'
import { invalid } from '../http/api-error.ts'
import type { Engine } from './engine.ts'
import type { Sql, Tx } from '../database/connect.ts'
import { ordersByDeposit } from './order-queries.ts'

function refuse(member: string, message: string, problem?: ProblemCode): never {
  throw invalid(member, message, message, { problem })
}

/** Refuses an EVM address whose mixed-case checksum is wrong, because a digit is probably mistyped. */
export function requireChecksum(address: string | null | undefined, member: string): void {
  if (typeof address === 'string' && !hasValidChecksum(address))
    refuse(
      member,
      `${member} has a wrong checksum: the case of its letters does not fit, so a character may be mistyped. Copy it again, or write it in small letters if you are sure.`,
      'address_mistyped',
    )
}

export function parseAsset({ chain_id: chainId, address }: CurrencyBase, member: string): Pick<Asset, 'chainId' | 'address'> {
  requireChecksum(address, `${member}.address`)
  return { chainId, address: canonicalAddress(address) }
}

/** Refuses malformed or mistyped addresses, the zero address, token contracts and our own deposit addresses. */
export async function payableAddress(engine: Engine, sql: Sql | Tx, chainId: number, address: string, member: string): Promise<string> {
  if (!isAddressOn(chainId, address)) refuse(member, `${member} is not an address on this network.`)
  requireChecksum(address, member)
  const canonical = canonicalAddress(address)
  if (canonical === null || canonical === nativeAddress)
    return refuse(member, `${member} is the zero address: money sent there is lost.`, 'address_lost')
  const isToken = [...engine.chains.values()].some((chain) => chain.tokens.some((token) => token.address === canonical))
  if (isToken) refuse(member, `${member} is a token's contract: money sent there is lost.`, 'address_lost')
  if ((await ordersByDeposit(sql, [canonical])).size > 0) refuse(member, `${member} is a deposit address of an order.`, 'address_ours')
  return canonical
}
