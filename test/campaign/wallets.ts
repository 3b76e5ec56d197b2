import { encodeFunctionData, erc20Abi, keccak256, type Address, type Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { type LocalAccount, payers } from '../../local/chains/accounts.ts'
import type { Anvil } from '../../local/chains/anvil.ts'
import { until } from '../support/wait.ts'

/** The last two are the card provider's and local mode's own. */
export const honestPayers: readonly LocalAccount[] = payers.slice(0, 7)
export const hostilePayer: LocalAccount = payers[7]!

/** A payer's wallet: it numbers its transactions itself and keeps their bytes, so that what a chain forgets is sent again. */
export interface Wallet {
  /** `token` null is the native coin. Resolves once it is in a block. */
  pay(token: string | null, to: string, amount: bigint): Promise<Hex>
  /** The same so many times, in one request to the node. Resolves once it has them; they are mined when it mines. */
  scatter(token: string | null, to: string, amount: bigint, times: number): Promise<readonly Hex[]>
  /** After a reorganisation: the nonce of this transaction goes to an empty one, so that it never comes back. */
  takeBack(hash: Hex): Promise<void>
  /** Sends again what is in no block. */
  remind(): Promise<void>
}

export function createWallet({ private_key }: LocalAccount, anvil: Anvil): Wallet {
  const account = privateKeyToAccount(private_key)
  const sent = new Map<Hex, { readonly raw: Hex; readonly nonce: number }>()
  let next: number | undefined
  let last: Promise<unknown> = Promise.resolve()

  const receipts = async (hashes: readonly Hex[]) =>
    (hashes.length > 0 ? await anvil.ask(...hashes.map((hash) => ['eth_getTransactionReceipt', hash] as const)) : []) as readonly ({
      status: string
    } | null)[]
  const receipt = async (hash: Hex) => (await receipts([hash]))[0] ?? null
  const broadcast = (...raws: readonly Hex[]) => anvil.ask(...raws.map((raw) => ['eth_sendRawTransaction', raw] as const))
  const sign = async (call: { to: Address; value?: bigint; data?: Hex }, nonce: number, gwei = 100n): Promise<Hex> => {
    const raw = await account.signTransaction({
      ...call,
      chainId: anvil.chainId,
      type: 'eip1559',
      nonce,
      gas: 200_000n,
      maxFeePerGas: gwei * 10n ** 9n,
      maxPriorityFeePerGas: (gwei / 100n) * 10n ** 9n,
    })
    sent.set(keccak256(raw), { raw, nonce })
    return raw
  }
  const send = async (token: string | null, to: string, amount: bigint, times: number): Promise<readonly Hex[]> => {
    next ??= Number((await anvil.ask(['eth_getTransactionCount', account.address, 'latest']))[0])
    const call =
      token === null
        ? { to: to as Address, value: amount }
        : { to: token as Address, data: encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to as Address, amount] }) }
    const raws: Hex[] = []
    for (let index = 0; index < times; index++) raws.push(await sign(call, next++))
    await broadcast(...raws)
    return raws.map((raw) => keccak256(raw))
  }
  /** Whoever comes later waits until this has its nonces. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = last.then(work)
    last = mine.catch(() => undefined)
    return mine
  }
  /** What is in the pool already is refused, which is as good. */
  const remind = async (): Promise<void> => {
    const all = [...sent]
    const known = await receipts(all.map(([hash]) => hash))
    for (const [index, [, { raw }]] of all.entries()) if (!known[index]) await broadcast(raw).catch(() => undefined)
  }
  return {
    scatter: (token, to, amount, times) => inTurn(() => send(token, to, amount, times)),
    takeBack: (hash) =>
      inTurn(async () => {
        const { nonce } = sent.get(hash)!
        sent.delete(hash)
        await broadcast(await sign({ to: account.address }, nonce, 200n))
      }),
    async pay(token, to, amount) {
      const [hash] = (await inTurn(() => send(token, to, amount, 1))) as [Hex]
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
