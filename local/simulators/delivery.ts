import { createWalletClient, erc20Abi, http, publicActions, type Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { CardRequest } from '../../server/providers/card.ts'
import type { LocalAccount } from '../chains/accounts.ts'

/** Sends tokens from one account, one after the other so that no two use the same nonce. Resolves once the transfer is mined. */
export function tokenSender(account: LocalAccount, rpcUrls: ReadonlyMap<number, string>) {
  let last: Promise<unknown> = Promise.resolve()
  const send = async ({ chain_id, token, address, amount }: CardRequest['deliver']): Promise<string> => {
    const url = rpcUrls.get(chain_id)
    if (!url) throw new Error(`there is no local chain ${chain_id}`)
    const wallet = createWalletClient({ account: privateKeyToAccount(account.private_key), transport: http(url) }).extend(publicActions)
    const hash =
      token === null
        ? await wallet.sendTransaction({ chain: null, to: address as Hex, value: BigInt(amount) })
        : await wallet.writeContract({
            chain: null,
            address: token as Hex,
            abi: erc20Abi,
            functionName: 'transfer',
            args: [address as Hex, BigInt(amount)],
          })
    await wallet.waitForTransactionReceipt({ hash, pollingInterval: 100, timeout: 60_000 })
    return hash
  }
  return (to: CardRequest['deliver']): Promise<string> => {
    const mine = last.then(() => send(to))
    last = mine.catch(() => undefined)
    return mine
  }
}
