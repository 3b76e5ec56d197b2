import { createHash } from 'node:crypto'
import * as btc from '@scure/btc-signer'
import { pubECDSA } from '@scure/btc-signer/utils.js'
import * as z from 'zod'
import { createMutex } from '../chains/mutex.ts'
import { Amount, type BitcoinRpc } from './bitcoin-rpc.ts'
import { regtest } from './script.ts'

/** An account with mined coins that pays any address. */
export interface Faucet {
  readonly address: string
  /**
   * Pays from rewards and confirmed change, so payments never depend on each other, and returns the transaction's hash. If no coin is free, it
   * mines a block first.
   */
  pay(address: string, amount: bigint, options?: { readonly satoshisPerByte?: bigint }): Promise<string>
  /** Mines blocks, whose rewards are the faucet's. Returns their hashes. */
  mine(blocks: number): Promise<string[]>
}

/** This many payments can wait for a block on a new chain. */
const coinsAtFirst = 20
const coinbaseMaturity = 100

const Coin = z.object({ txid: z.string(), vout: z.number(), amount: Amount, coinbase: z.boolean(), height: z.number() })
const Scan = z.object({ height: z.number(), unspents: z.array(Coin) })
const Spenders = z.array(z.object({ txid: z.string(), vout: z.number(), spendingtxid: z.string().optional() }))

type Coin = z.output<typeof Coin>

/** Every local chain has the same faucet, whose key is worth nothing. */
const privateKey = createHash('sha256').update('till: the faucet of the local Bitcoin chain').digest()

export async function createFaucet(rpc: BitcoinRpc): Promise<Faucet> {
  const payment = btc.p2wpkh(pubECDSA(privateKey), regtest)
  const address = payment.address!
  const mutex = createMutex()

  const mine = (blocks: number) => rpc.call('generatetoaddress', [blocks, address], z.array(z.string()))

  /** Lists the coins that can be spent now, the smallest first. */
  async function freeCoins(): Promise<Coin[]> {
    const { height, unspents } = await rpc.call('scantxoutset', ['start', [`addr(${address})`]], Scan)
    const mature = unspents.filter((coin) => !coin.coinbase || height - coin.height >= coinbaseMaturity)
    if (mature.length === 0) return []
    const outputs = mature.map(({ txid, vout }) => ({ txid, vout }))
    const spenders = await rpc.call('gettxspendingprevout', [outputs], Spenders)
    return mature.filter((_, index) => !spenders[index]?.spendingtxid).sort((a, b) => (a.amount < b.amount ? -1 : 1))
  }

  function build(coins: readonly Coin[], to: string, amount: bigint, fee: bigint): btc.Transaction {
    const transaction = new btc.Transaction()
    for (const { txid, vout, amount: value } of coins)
      transaction.addInput({ txid, index: vout, sequence: 0xfffffffd, witnessUtxo: { script: payment.script, amount: value } })
    transaction.addOutputAddress(to, amount, regtest)
    transaction.addOutputAddress(address, sum(coins) - amount - fee, regtest)
    transaction.sign(privateKey)
    transaction.finalize()
    return transaction
  }

  async function pay(to: string, amount: bigint, satoshisPerByte: bigint): Promise<string> {
    let coins = choose(await freeCoins(), amount)
    if (!coins) {
      // A block confirms the change of earlier payments.
      await mine(1)
      coins = choose(await freeCoins(), amount)
    }
    if (!coins) throw new Error(`The faucet has too few coins to pay ${amount} satoshis.`)
    // A signature's size varies by a byte, so the fee is planned for one byte more for each.
    const size = BigInt(build(coins, to, amount, 0n).vsize + coins.length)
    const { hex } = build(coins, to, amount, size * satoshisPerByte)
    return rpc.call('sendrawtransaction', [hex], z.string())
  }

  if ((await freeCoins()).length === 0) await mine(coinbaseMaturity + coinsAtFirst)

  return {
    address,
    pay: (to, amount, { satoshisPerByte = 2n } = {}) => mutex(() => pay(to, amount, satoshisPerByte)),
    mine: (blocks) => mutex(() => mine(blocks)),
  }
}

const sum = (coins: readonly Coin[]) => coins.reduce((total, { amount }) => total + amount, 0n)

/** Change must be more than dust after the fee. */
const reserve = 100_000n

/** Returns the smallest coin that suffices, or several if none does. */
function choose(coins: readonly Coin[], amount: bigint): readonly Coin[] | undefined {
  const enough = coins.find((coin) => coin.amount >= amount + reserve)
  if (enough) return [enough]
  const chosen: Coin[] = []
  for (const coin of coins.toReversed()) {
    chosen.push(coin)
    if (sum(chosen) >= amount + reserve) return chosen
  }
  return undefined
}
