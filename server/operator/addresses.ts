import { parseArgs } from 'node:util'
import type { BitcoinConfig } from '../chains/bitcoin/bitcoin-config.ts'
import { orderDescriptor } from '../chains/bitcoin/descriptor.ts'
import { orderScript } from '../chains/bitcoin/order-script.ts'
import { takenAddresses } from '../chains/solana/address-pool.ts'
import { accountPath } from '../chains/solana/derive-key.ts'
import { createSolanaSigner } from '../chains/solana/signer.ts'
import type { SolanaConfig } from '../chains/solana/solana-config.ts'
import type { Sql } from '../database/connect.ts'
import { depositsAfter } from '../orders/order-queries.ts'
import { type Command, configuredChains, UsageError, withDatabase } from './command.ts'

const readAtOnce = 1_000

/** If this service is gone, an ordinary wallet can watch and spend what lies at the addresses of orders. */
export const addresses: Command = {
  usage: `addresses --chain ID [--descriptors]
  Lists the addresses of all orders on a Bitcoin or Solana chain, one in a line. On Solana the path of its key follows.
  --descriptors  Bitcoin: writes each as a watch-only descriptor, for a wallet's import (docs/bitcoin.md)`,
  async run(args, env, say) {
    const options = { chain: { type: 'string' }, descriptors: { type: 'boolean', default: false } } as const
    const { chain, descriptors } = parseArgs({ args: [...args], options }).values
    const config = configuredChains(env).find(({ chainId }) => String(chainId) === chain)
    if (config?.family !== 'bitcoin' && config?.family !== 'solana')
      throw new UsageError(`--chain names a Bitcoin or Solana chain of TILL_CHAINS, not ${JSON.stringify(chain ?? '')}.`)
    if (descriptors && config.family !== 'bitcoin') throw new UsageError('--descriptors needs a Bitcoin chain.')
    await withDatabase(env, async (sql) => {
      const lines = config.family === 'bitcoin' ? bitcoinLines(config, sql, descriptors) : solanaLines(config, sql)
      for await (const line of lines) say(line)
    })
  },
}

async function* bitcoinLines({ account, network }: BitcoinConfig, sql: Sql, descriptors: boolean): AsyncGenerator<string> {
  // Before the descriptors leave this machine, nobody must be able to spend with them.
  const publicKey = account.key.wipePrivateData()
  for (let after = ''; ;) {
    const page = await depositsAfter(sql, 'bitcoin', after, readAtOnce)
    for (const { id, address } of page) {
      // Orders of a test network, or of an account that has been replaced, have other addresses.
      if (orderScript(publicKey, id, network).address !== address) continue
      yield descriptors ? orderDescriptor(publicKey, id) : `${address}  ${id}`
    }
    const last = page.at(-1)
    if (!last || page.length < readAtOnce) return
    after = last.id
  }
}

async function* solanaLines({ keys }: SolanaConfig, sql: Sql): AsyncGenerator<string> {
  const { first } = createSolanaSigner(keys)
  for (let after = 0; ;) {
    const page = await takenAddresses(sql, first, after, readAtOnce)
    for (const { address, orderId, index } of page) yield `${address}  ${orderId}  ${accountPath(index)}`
    const last = page.at(-1)
    if (!last || page.length < readAtOnce) return
    after = last.index
  }
}
