import { encodeFunctionData, erc20Abi, keccak256, type Address, type Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { type LocalAccount, payers } from '../../local/chains/accounts.ts'
import type { Anvil } from '../../local/chains/anvil.ts'
import { until } from '../support/wait.ts'

/** The last two accounts belong to the card provider and to local mode. */
export const honestPayers: readonly LocalAccount[] = payers.slice(0, 7)
export const hostilePayer: LocalAccount = payers[7]!

/** A payer's wallet that assigns nonces itself and keeps its signed transactions, so that it can rebroadcast dropped ones. */
export interface Wallet {
  /** A null `token` is the native coin. Resolves once the transfer is mined. */
  pay(token: string | null, to: string, amount: bigint): Promise<Hex>
  /** Sends the same transfer several times in one request to the node. Resolves once the node has them, before they are mined. */
  scatter(token: string | null, to: string, amount: bigint, times: number): Promise<readonly Hex[]>
  /** After a reorganisation, spends this transaction's nonce on an empty one so that it can never be mined again. */
  takeBack(hash: Hex): Promise<void>
  /** Rebroadcasts the transactions that are in no block. */
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
    // A reminder may have been faster, and the node refuses what it has.
    await broadcast(...raws).catch(remind)
    return raws.map((raw) => keccak256(raw))
  }
  /** Transfers wait for each other because each needs the next nonce. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = last.then(work)
    last = mine.catch(() => undefined)
    return mine
  }
  /** The node refuses a transaction that is already in its pool, which does no harm. */
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
