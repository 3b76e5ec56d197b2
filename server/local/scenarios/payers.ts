import { createWalletClient, encodeFunctionData, erc20Abi, http, type Hex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { numberToHex } from '../../chains/evm/asks.ts'
import { faucet } from '../chains/accounts.ts'
import type { LocalChains } from '../chains.ts'
import { deliverer } from '../simulators/delivery.ts'
import { CannotPlay } from './scenario.ts'

export interface Money {
  readonly chainId: number
  /** Null is the network's own coin. */
  readonly token: string | null
  readonly raw: bigint
}

export interface Call {
  readonly to: string
  readonly data?: Hex
  readonly value?: bigint
}

export interface Payer {
  readonly address: string
  /** Resolves once the network has taken it in, which is before it is in a block. */
  send(call: Call): Promise<Hex>
}

/**
 * A payer of its own for each transfer, with just the money it sends: plays may run side by side and blocks be taken back, and no two
 * transactions depend on each other's numbers.
 */
export const createPayers = ({ anvils, chains }: LocalChains): ((money: Money) => Promise<Payer>) => {
  const deliver = deliverer(faucet, new Map(chains.map((one) => [one.chain_id, one.rpc_url])))
  return async ({ chainId, token, raw }) => {
    const anvil = anvils.find((one) => one.chainId === chainId)
    if (!anvil) throw new CannotPlay(`There is no local network ${chainId}.`)
    const account = privateKeyToAccount(generatePrivateKey())
    const gas = 10n ** 18n
    await anvil.ask(['anvil_setBalance', account.address, numberToHex(token === null ? raw + gas : gas)])
    if (token !== null)
      await deliver({ chain_id: chainId, token, symbol: '', decimals: 0, amount: raw.toString(), address: account.address })
    const wallet = createWalletClient({ account, transport: http(anvil.rpcUrl) })
    return {
      address: account.address,
      send: ({ to, data, value }) => wallet.sendTransaction({ to: to as Hex, data, value, chain: null }),
    }
  }
}

export const transferOf = ({ token, raw }: Money, to: string): Call =>
  token === null
    ? { to, value: raw }
    : { to: token, data: encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to as Hex, raw] }) }
