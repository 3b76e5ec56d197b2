import { createWalletClient, encodeFunctionData, erc20Abi, http, type Hex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { faucet } from '../../../chains/accounts.ts'
import { createMutex } from '../../../chains/mutex.ts'
import type { LocalChains } from '../../../chains.ts'
import { CannotPlay } from '../../cannot-play.ts'
import type { Money } from '../network.ts'
import { waitUntilMined } from './blocks-by-hand.ts'

export interface Call {
  readonly to: string
  readonly data?: Hex
  readonly value?: bigint
}

export interface EvmPayer {
  readonly address: string
  /** Resolves once the network has accepted the transaction, before it is mined. */
  send(call: Call): Promise<Hex>
}

const gas = 10n ** 17n

/**
 * Creates a new payer each time, since two scenarios that run side by side must not share a nonce sequence. The payer gets the money by
 * real transfers, since state that is written into a chain directly does not survive a reorganisation.
 */
export function createPayers(chains: LocalChains): (money: Money) => Promise<EvmPayer> {
  const inTurn = createMutex()
  return async ({ chainId, token, raw }) => {
    const url = chains.chains.find((chain) => chain.chain_id === chainId)?.rpc_url
    if (!url) throw new CannotPlay(`There is no local network ${chainId}.`)
    const from = (key: Hex) => createWalletClient({ account: privateKeyToAccount(key), transport: http(url) })
    const key = generatePrivateKey()
    const payer = from(key)
    const { address } = payer.account
    const send = (wallet: typeof payer, { to, data, value }: Call) => wallet.sendTransaction({ to: to as Hex, data, value, chain: null })
    const hash = await inTurn(async () => {
      const bank = from(faucet.private_key)
      const coins = await send(bank, { to: address, value: token === null ? raw + gas : gas })
      return token === null ? coins : send(bank, transferOf({ chainId, token, raw }, address))
    })
    await waitUntilMined(chains, chainId, hash)
    return { address, send: (call) => send(payer, call) }
  }
}

export const transferOf = ({ token, raw }: Money, to: string): Call =>
  token === null
    ? { to, value: raw }
    : { to: token, data: encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to as Hex, raw] }) }
