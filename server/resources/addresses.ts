import { nativeAddress } from '../../src/wire/currency.ts'
import type { ProblemCode } from '../../src/wire/problems.ts'
import { isAddressOn } from '../domain/addresses.ts'
import { canonicalAddress } from '../domain/asset.ts'
import { ApiError } from '../http/ApiError.ts'
import type { Engine } from '../jobs/engine.ts'
import type { Sql, Tx } from '../store/connect.ts'
import { ordersByDeposit } from '../store/orders.ts'

/** An address that money can be sent to and be somebody's: not nobody, not a token, not one of our own deposit addresses. */
export const payableAddress = async (engine: Engine, sql: Sql | Tx, chainId: number, address: string, member: string): Promise<string> => {
  const refuse = (message: string, problem?: ProblemCode): never => {
    throw new ApiError(422, message, { issues: [{ path: member, message }], problem })
  }
  if (!isAddressOn(chainId, address)) refuse(`${member} is not an address on this network.`)
  const canonical = canonicalAddress(address)
  if (canonical === null || canonical === nativeAddress)
    return refuse(`${member} is the zero address: money sent there is lost.`, 'address_lost')
  const isToken = [...engine.chains.values()].some((chain) => chain.tokens.some((token) => token.address === canonical))
  if (isToken) refuse(`${member} is a token's contract: money sent there is lost.`, 'address_lost')
  if ((await ordersByDeposit(sql, [canonical])).size > 0) refuse(`${member} is a deposit address of an order.`, 'address_ours')
  return canonical
}
