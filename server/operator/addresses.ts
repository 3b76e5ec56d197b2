import { parseArgs } from 'node:util'
import { orderScript } from '../chains/bitcoin/order-script.ts'
import { orderDescriptor } from '../chains/bitcoin/descriptor.ts'
import { depositsAfter } from '../orders/order-queries.ts'
import { type Command, configuredChains, UsageError, withDatabase } from './command.ts'

const readAtOnce = 1_000

/** If this service is gone, an ordinary wallet can watch and spend what lies at the addresses of orders. */
export const addresses: Command = {
  usage: `addresses --chain ID [--descriptors]
  Lists the Bitcoin addresses of all orders, one in a line.
  --descriptors  writes each as a watch-only descriptor, for a wallet's import (docs/bitcoin.md)`,
  async run(args, env, say) {
    const options = { chain: { type: 'string' }, descriptors: { type: 'boolean', default: false } } as const
    const { chain, descriptors } = parseArgs({ args: [...args], options }).values
    const config = configuredChains(env).find(({ chainId }) => String(chainId) === chain)
    if (config?.family !== 'bitcoin')
      throw new UsageError(`--chain names a Bitcoin chain of TILL_CHAINS, not ${JSON.stringify(chain ?? '')}.`)
    const { account, network } = config
    // Before the descriptors leave this machine, nobody must be able to spend with them.
    const publicKey = account.key.wipePrivateData()
    await withDatabase(env, async (sql) => {
      for (let after = ''; ;) {
        const page = await depositsAfter(sql, 'bitcoin', after, readAtOnce)
        for (const { id, address } of page) {
          // Orders of a test network, or of an account that has been replaced, have other addresses.
          if (orderScript(publicKey, id, network).address !== address) continue
          say(descriptors ? orderDescriptor(publicKey, id) : `${address}  ${id}`)
        }
        const last = page.at(-1)
        if (!last || page.length < readAtOnce) return
        after = last.id
      }
    })
  },
}
