import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod/mini'
import type { Hex } from 'viem'
import type { LocalChains } from '../../../chains.ts'
import { CannotPlay } from '../../cannot-play.ts'
import type { Blocks } from '../network.ts'

const Raw = z.string()
const Block = z.object({ transactions: z.array(Raw) })

export function blocksByHand<T>({ anvils, mutexes }: LocalChains, chainId: number, run: (blocks: Blocks) => Promise<T>): Promise<T> {
  const anvil = anvils.find((node) => node.chainId === chainId)
  const mutex = mutexes.get(chainId)
  if (!anvil || !mutex) throw new CannotPlay(`There is no local network ${chainId}.`)
  let removed: string | undefined
  const rawOf = async (hash: string) => z.parse(Raw, (await anvil.ask(['eth_getRawTransactionByHash', hash]))[0])
  return mutex(() =>
    run({
      keepsRemoved: false,
      mine: async () => void (await anvil.ask(['evm_mine'])),
      async removeTransaction(hash) {
        const [block] = await anvil.ask(['eth_getBlockByNumber', 'latest', false])
        const { transactions } = z.parse(Block, block)
        if (!transactions.includes(hash)) throw new CannotPlay('The transfer is not in the newest block.')
        removed = await rawOf(hash)
        const others = await Promise.all(transactions.filter((transaction) => transaction !== hash).map(rawOf))
        await anvil.ask(['anvil_reorg', 1, others.map((raw) => [raw, 0])])
      },
      async rebroadcast() {
        if (removed !== undefined) await anvil.ask(['eth_sendRawTransaction', removed])
      },
    }),
  )
}

/** At the default pace no scenario delays a network's blocks for this long. */
const timeoutMs = 60_000
const intervalMs = 100

/** Resolves once a transaction is mined, or throws. It cannot be aborted, since a scenario must restore what it has changed on a chain. */
export async function waitUntilMined({ anvils }: LocalChains, chainId: number, hash: Hex): Promise<void> {
  const Receipt = z.nullable(z.object({ status: z.string() }))
  const anvil = anvils.find((node) => node.chainId === chainId)
  if (!anvil) throw new CannotPlay(`There is no local network ${chainId}.`)
  for (let waited = 0; waited < timeoutMs; waited += intervalMs) {
    const receipt = z.parse(Receipt, (await anvil.ask(['eth_getTransactionReceipt', hash]))[0])
    if (receipt?.status === '0x1') return
    if (receipt) break
    await sleep(intervalMs)
  }
  throw new CannotPlay(`The transaction ${hash} did not go through.`)
}
