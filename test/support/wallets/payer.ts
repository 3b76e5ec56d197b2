import { createPublicClient, createWalletClient, erc20Abi, type Hex, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { until } from '../wait.ts'

/** A wallet that knows a chain's RPC and nothing else. */
export interface Payer {
  readonly address: string
  /** A null `token` is the native coin. Resolves to the hash once the transfer is mined. */
  pay(token: string | null, to: string, raw: bigint): Promise<Hex>
  balance(token: string | null, of: string): Promise<bigint>
}

export function createPayer(rpcUrl: string, privateKey: string): Payer {
  const account = privateKeyToAccount(privateKey as Hex)
  const wallet = createWalletClient({ account, transport: http(rpcUrl) })
  const reader = createPublicClient({ transport: http(rpcUrl), pollingInterval: 20, cacheTime: 0 })
  return {
    address: account.address,
    async pay(token, to, raw) {
      const hash =
        token === null
          ? await wallet.sendTransaction({ to: to as Hex, value: raw, chain: null })
          : await wallet.writeContract({
              address: token as Hex,
              abi: erc20Abi,
              functionName: 'transfer',
              args: [to as Hex, raw],
              chain: null,
              gas: 200_000n,
            })
      const receipt = await until(() => reader.getTransactionReceipt({ hash }), { what: `${hash} is in a block` })
      if (receipt.status !== 'success') throw new Error(`${hash} was reverted`)
      return hash
    },
    balance: (token, of) =>
      token === null
        ? reader.getBalance({ address: of as Hex })
        : reader.readContract({ address: token as Hex, abi: erc20Abi, functionName: 'balanceOf', args: [of as Hex] }),
  }
}
