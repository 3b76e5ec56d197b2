import { parseArgs } from 'node:util'
import { canonicalAddress, canonicalToken } from '../../src/wire/addresses/canonical.ts'
import type { OrderTerms } from '../../src/wire/terms/order-terms.ts'
import { isEvmAddress, lowerCase } from '../../src/wire/terms/read-terms.ts'
import { termsAddress } from '../../src/wire/terms/terms-hash.ts'
import { enqueueRescue, rescuesOf } from '../chains/evm/payouts/rescues.ts'
import { codeCall } from '../chains/evm/rpc-calls.ts'
import { createRpc } from '../chains/evm/rpc.ts'
import type { EvmConfig } from '../chains/evm/evm-config.ts'
import type { Sql } from '../database/connect.ts'
import { orderById } from '../orders/order-queries.ts'
import { type Command, configuredEvmChains, type Say, UsageError, withDatabase } from './command.ts'
import { tokenBalance } from './token-balance.ts'

/** A payer has sent what the service does not look for. It goes to the merchant, who has confirmed his addresses, and to nobody else. */
export const rescue: Command = {
  usage: `rescue ORDER-ID
  Lists the rescues of an order.
  rescue ORDER-ID --chain ID --token 0x…|native [--recipient 0x…]
  Sends all of a token that is not configured on that chain from the order's address to the merchant. The service that runs asks the
  guard and broadcasts it, with its operator's gas.
  --recipient  another recipient of the order's terms on that chain than the one of its first settlement`,
  async run(args, env, say) {
    const { positionals, values } = parseArgs({ args: [...args], options, allowPositionals: true })
    const [orderId, ...more] = positionals
    if (!orderId || more.length > 0) throw new UsageError('One order at a time, by its id.')
    if ((values.chain === undefined) !== (values.token === undefined)) throw new UsageError('--chain and --token belong together.')
    await withDatabase(env, async (sql) => {
      const terms = (await orderById(sql, orderId))?.depositTerms
      if (!terms) throw new Error(`There is no order ${orderId} with an address on EVM chains.`)
      if (values.chain !== undefined && values.token !== undefined) {
        const chains = configuredEvmChains(env)
        await enqueue(sql, say, { terms, chains, chain: chainOf(chains, values.chain), token: tokenOf(values.token) }, values.recipient)
      }
      for (const { id, chainId, token, news } of await rescuesOf(sql, orderId))
        say(`${id}: ${token ?? 'native coin'} on chain ${chainId}, ${news}`)
    })
  },
}

const options = { chain: { type: 'string' }, token: { type: 'string' }, recipient: { type: 'string' } } as const

function chainOf(chains: readonly EvmConfig[], text: string): EvmConfig {
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
  readonly chains: readonly EvmConfig[]
  readonly chain: EvmConfig
  readonly token: string | null
}

async function enqueue(sql: Sql, say: Say, { terms, chains, chain, token }: Lost, asked: string | undefined): Promise<void> {
  const { chainId } = chain
  if (chain.tokens.some(({ address }) => canonicalToken(chainId, address) === canonicalToken(chainId, token)))
    throw new Error(`The service counts ${token ?? 'native coin'} on chain ${chainId}: refund it through the API.`)
  const to = recipientOf(terms, chainId, asked)
  await refuseContractElsewhere({ terms, chains, chain }, to)
  const known = await rescuesOf(sql, terms.order_id)
  const open = known.find((other) => other.isOpen && other.chainId === chainId && other.token === token)
  if (open) throw new Error(`Rescue ${open.id} is not finished: run this again afterwards.`)
  const rpc = createRpc(chainId, chain.rpcUrls, chain.timeoutMs)
  const amount = await tokenBalance(rpc, termsAddress(terms), token)
  if (amount === 0n) throw new Error(`Nothing of ${token ?? 'native coin'} is at ${termsAddress(terms)} on chain ${chainId}.`)
  const id = `${terms.order_id}:rescue:${known.length + 1}`
  await enqueueRescue(sql, id, { chainId, terms, token, leg: { to, amount } })
  say(`${amount} of ${token ?? 'native coin'} to ${to}`)
}

/** On a chain without a settlement of the order, only the default's recipient may be paid, and only if he can have the same address there. */
function recipientOf(terms: OrderTerms, chainId: number, asked: string | undefined): string {
  const here = terms.settlements.filter(({ chain_id }) => chain_id === chainId)
  const first = here.find(({ first_of_chain }) => first_of_chain)
  const recipients = first ? [first.recipient, ...here.map(({ recipient }) => recipient)] : [terms.default_recipient]
  const found = recipients.find(
    (recipient) => asked === undefined || canonicalAddress(chainId, recipient) === canonicalAddress(chainId, asked),
  )
  if (!found) throw new UsageError(`--recipient is one of ${[...new Set(recipients)].join(', ')}: the merchant has confirmed no other.`)
  return lowerCase(found)
}

/** A contract on its own chain is nobody's on another, where whoever can deploy it would own what it gets. */
async function refuseContractElsewhere({ terms, chains, chain }: Pick<Lost, 'terms' | 'chains' | 'chain'>, to: string): Promise<void> {
  const theirs = new Set(terms.settlements.filter(({ recipient }) => lowerCase(recipient) === to).map(({ chain_id }) => chain_id))
  if (theirs.has(chain.chainId)) return
  const codes = await Promise.all(
    chains
      .filter(({ chainId }) => theirs.has(chainId))
      .map(async ({ chainId, rpcUrls, timeoutMs }) => {
        const [code] = await createRpc(chainId, rpcUrls, timeoutMs).read(AbortSignal.timeout(60_000), codeCall(to))
        return { chainId, isContract: code !== '0x' }
      }),
  )
  const elsewhere = codes.find(({ isContract }) => isContract)
  if (elsewhere)
    throw new Error(`${to} is a contract on chain ${elsewhere.chainId}: on chain ${chain.chainId} it may belong to somebody else.`)
}
