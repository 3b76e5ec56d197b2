import * as z from 'zod'
import { type BitcoinRpc, BitcoinRpcError } from '../../local/bitcoin/bitcoin-rpc.ts'
import { createFaucet } from '../../local/bitcoin/faucet.ts'
import { keyHashAccount, spend, type OwnedCoin } from '../support/wallets/bitcoin-wallet.ts'

/** A payer's wallet with many coins. It keeps what it has sent, because a node that is killed forgets what waits. */
export interface BitcoinPayer {
  /** Resolves once the node has the payment, before it is mined. */
  pay(to: string, amount: bigint): Promise<BitcoinPayment>
  /** Makes a payment without sending it. */
  prepare(to: string, amount: bigint): BitcoinPayment
  send(payment: BitcoinPayment): Promise<void>
  /** Sends a payment of the same coin with a higher fee, which excludes the one before. A null address pays the wallet itself. */
  replace(payment: BitcoinPayment, to: string | null): Promise<BitcoinPayment>
  /** Makes a payment of the same coin to the wallet itself, without sending it. The one before is never sent again. */
  takeBack(payment: BitcoinPayment): BitcoinPayment
  /** Sends everything again that the node may have forgotten. */
  remind(): Promise<void>
}

export interface BitcoinPayment {
  readonly txid: string
  readonly raw: string
  readonly coin: OwnedCoin
  readonly amount: bigint
}

const coinAmount = 1_000_000n
/** At most 250 virtual bytes with a rate of 6, and a replacement with twice as much. */
const fees = { usual: 1_500n, higher: 4_500n }

const Hash = z.string().length(64)
const Funding = z.object({ vout: z.array(z.object({ n: z.number(), scriptPubKey: z.object({ hex: z.string() }) })) })

/** It mines a block, so it must be created before the miner. */
export async function createBitcoinPayer(rpc: BitcoinRpc, name: string, coinCount: number): Promise<BitcoinPayer> {
  const faucet = await createFaucet(rpc)
  const owner = keyHashAccount(`payer ${name}`)
  const sent = new Map<string, BitcoinPayment>()

  const total = coinAmount * BigInt(coinCount) + 100_000n
  const funding = await faucet.pay(owner.address, total)
  const { vout } = await rpc.call('getrawtransaction', [funding, true], Funding)
  const index = vout.find(({ scriptPubKey }) => scriptPubKey.hex === Buffer.from(owner.script).toString('hex'))!.n
  const outputs = Array.from({ length: coinCount }, () => [owner.address, coinAmount] as const)
  const split = spend([{ owner, txid: funding, vout: index, amount: total }], { outputs })
  await rpc.call('sendrawtransaction', [split.hex, 0], Hash)
  await faucet.mine(1)
  const coins = outputs.map((_, vout): OwnedCoin => ({ owner, txid: split.id, vout, amount: coinAmount }))

  const takeCoin = (): OwnedCoin => {
    const coin = coins.shift()
    if (!coin) throw new Error('the payer has no coins left')
    return coin
  }
  const build = (coin: OwnedCoin, to: string | null, amount: bigint, fee: bigint): BitcoinPayment => {
    const change = coin.amount - amount - fee
    const outputs =
      to === null
        ? ([[owner.address, coin.amount - fee]] as const)
        : ([
            [to, amount],
            [owner.address, change],
          ] as const)
    const { id, hex } = spend([coin], { outputs })
    return { txid: id, raw: hex, coin, amount }
  }
  const send = async (payment: BitcoinPayment) => {
    sent.set(payment.txid, payment)
    await rpc.call('sendrawtransaction', [payment.raw, 0], Hash)
  }
  const prepare = (to: string, amount: bigint) => build(takeCoin(), to, amount, fees.usual)

  return {
    prepare,
    send,
    async pay(to, amount) {
      const payment = prepare(to, amount)
      await send(payment)
      return payment
    },
    async replace(payment, to) {
      sent.delete(payment.txid)
      const next = build(payment.coin, to, payment.amount, fees.higher)
      await send(next)
      return next
    },
    takeBack(payment) {
      sent.delete(payment.txid)
      const taken = build(payment.coin, null, 0n, fees.higher)
      sent.set(taken.txid, taken)
      return taken
    },
    async remind() {
      for (const { raw } of sent.values())
        await rpc.call('sendrawtransaction', [raw, 0], Hash).catch((error: unknown) => {
          // What is in a block is refused.
          if (!(error instanceof BitcoinRpcError)) throw error
        })
    },
  }
}
