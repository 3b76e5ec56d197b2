import { parseArgs } from 'node:util'
import { canonicalAddress, canonicalToken } from '../../src/wire/addresses/canonical.ts'
import type { OrderTerms } from '../../src/wire/terms/order-terms.ts'
import { isEvmAddress, lowerCase } from '../../src/wire/terms/read-terms.ts'
import { termsAddress } from '../../src/wire/terms/terms-hash.ts'
import { enqueueRescue, rescuesOf } from '../chains/evm/payouts/rescues.ts'
import { createRpc } from '../chains/evm/rpc.ts'
import type { ChainConfig } from '../chains/table.ts'
import type { Sql } from '../database/connect.ts'
import { orderById } from '../orders/order-queries.ts'
import { type Command, configuredChains, type Say, UsageError, withDatabase } from './command.ts'
import { tokenBalance } from './token-balance.ts'

/** A payer has sent what the service does not look for. It goes to the merchant, who has confirmed his addresses, and to nobody else. */
export const rescue: Command = {
  usage: `rescue ORDER-ID
  Lists the rescues of an order.
  rescue ORDER-ID --chain ID --token 0x…|native [--recipient 0x…]
  Sends all of a token that is not configured on that chain from the order's address to the merchant. The service that runs asks the
  guard and broadcasts it, with its operator's gas.
  --recipient  a recipient of the order's terms, if not the one of the chain's first settlement, or else the default`,
  async run(args, env, say) {
    const { positionals, values } = parseArgs({ args: [...args], options, allowPositionals: true })
    const [orderId, ...more] = positionals
    if (!orderId || more.length > 0) throw new UsageError('One order at a time, by its id.')
    if ((values.chain === undefined) !== (values.token === undefined)) throw new UsageError('--chain and --token belong together.')
    await withDatabase(env, async (sql) => {
      const terms = (await orderById(sql, orderId))?.depositTerms
      if (!terms) throw new Error(`There is no order ${orderId} with an address on EVM chains.`)
      if (values.chain !== undefined && values.token !== undefined)
        await enqueue(
          sql,
          say,
          { terms, chain: chainOf(configuredChains(env), values.chain), token: tokenOf(values.token) },
          values.recipient,
        )
      for (const { id, chainId, state, txHash, problem } of await rescuesOf(sql, orderId))
        say(`${id}: chain ${chainId}, ${state}${txHash ? ` in ${txHash}` : ''}${problem ? ` (${problem})` : ''}`)
    })
  },
}

const options = { chain: { type: 'string' }, token: { type: 'string' }, recipient: { type: 'string' } } as const

function chainOf(chains: readonly ChainConfig[], text: string): ChainConfig {
  const chain = chains.find(({ chainId }) => String(chainId) === text)
  if (!chain) throw new UsageError(`Chain ${text} is not in TILL_CHAINS.`)
  return chain
}

function tokenOf(text: string): string | null {
  if (text === 'native') return null
  if (!isEvmAddress(text)) throw new UsageError(`--token is an address or "native", not ${JSON.stringify(text)}.`)
  return lowerCase(text)
}

interface Lost {
  readonly terms: OrderTerms
  readonly chain: ChainConfig
  readonly token: string | null
}

async function enqueue(sql: Sql, say: Say, { terms, chain, token }: Lost, asked: string | undefined): Promise<void> {
  const { chainId } = chain
  if (chain.tokens.some(({ address }) => canonicalToken(chainId, address) === canonicalToken(chainId, token)))
    throw new Error(`The service counts ${token ?? 'native coin'} on chain ${chainId}: refund it through the API.`)
  const to = recipientOf(terms, chainId, asked)
  const open = (await rescuesOf(sql, terms.order_id)).filter(({ state }) => state !== 'confirmed' && state !== 'refused')
  if (open.length > 0) throw new Error(`Rescue ${open[0]?.id} is not finished: run this again afterwards.`)
  const rpc = createRpc(chainId, chain.rpcUrls, chain.timeoutMs)
  const amount = await tokenBalance(rpc, termsAddress(terms), token)
  if (amount === 0n) throw new Error(`Nothing of ${token ?? 'native coin'} is at ${termsAddress(terms)} on chain ${chainId}.`)
  const id = `${terms.order_id}:rescue:${(await rescuesOf(sql, terms.order_id)).length + 1}`
  await enqueueRescue(sql, id, { chainId, terms, token, leg: { to, amount } })
  say(`${amount} of ${token ?? 'native coin'} to ${to}`)
}

function recipientOf(terms: OrderTerms, chainId: number, asked: string | undefined): string {
  const first = terms.settlements.find(({ chain_id, first_of_chain }) => chain_id === chainId && first_of_chain)
  const recipients = [
    first?.recipient ?? terms.default_recipient,
    terms.default_recipient,
    ...terms.settlements.map(({ recipient }) => recipient),
  ]
  const found = recipients.find(
    (recipient) => asked === undefined || canonicalAddress(chainId, recipient) === canonicalAddress(chainId, asked),
  )
  if (!found) throw new UsageError(`--recipient is one of ${[...new Set(recipients)].join(', ')}: the merchant has confirmed no other.`)
  return lowerCase(found)
}
