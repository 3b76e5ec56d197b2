import { encodeFunctionData, erc20Abi, keccak256, type Address, type Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { LocalAccount } from '../../server/local/chains/accounts.ts'
import type { Anvil } from '../../server/local/chains/anvil.ts'
import { until } from '../support/wait.ts'

/** A payer's wallet: it numbers its transactions itself and keeps their bytes, so that what a chain forgets is sent again. */
export interface Wallet {
  /** `token` null is the native coin. Resolves once it is in a block. */
  pay(token: string | null, to: string, amount: bigint): Promise<Hex>
  /** Sends again what is in no block. */
  remind(): Promise<void>
}

export const createWallet = ({ private_key }: LocalAccount, anvil: Anvil): Wallet => {
  const account = privateKeyToAccount(private_key)
  const sent = new Map<Hex, Hex>()
  let next: number | undefined
  let last: Promise<unknown> = Promise.resolve()

  const receipt = async (hash: Hex) => (await anvil.ask(['eth_getTransactionReceipt', hash]))[0] as { status: string } | null
  const broadcast = (raw: Hex) => anvil.ask(['eth_sendRawTransaction', raw])
  const sign = async (token: string | null, to: string, amount: bigint): Promise<Hex> => {
    next ??= Number((await anvil.ask(['eth_getTransactionCount', account.address, 'latest']))[0])
    const call =
      token === null
        ? { to: to as Address, value: amount }
        : { to: token as Address, data: encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to as Address, amount] }) }
    return account.signTransaction({
      ...call,
      chainId: anvil.chainId,
      type: 'eip1559',
      nonce: next++,
      gas: 200_000n,
      maxFeePerGas: 100n * 10n ** 9n,
      maxPriorityFeePerGas: 10n ** 9n,
    })
  }
  const send = async (token: string | null, to: string, amount: bigint): Promise<Hex> => {
    const raw = await sign(token, to, amount)
    const hash = keccak256(raw)
    sent.set(hash, raw)
    await broadcast(raw)
    return hash
  }
  /** What is in the pool already is refused, which is as good. */
  const remind = async (): Promise<void> => {
    for (const [hash, raw] of sent) if (!(await receipt(hash))) await broadcast(raw).catch(() => undefined)
  }
  return {
    async pay(token, to, amount) {
      const mine = last.then(() => send(token, to, amount))
      last = mine.catch(() => undefined)
      const hash = await mine
      const { status } = await until(async () => (await receipt(hash)) ?? void (await remind()), {
        timeout: 60_000,
        every: 150,
        what: `${hash} is in a block`,
      })
      if (status !== '0x1') throw new Error(`${hash} was reverted`)
      return hash
    },
    remind,
  }
}
