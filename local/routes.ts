import type { Hono } from 'hono'
import * as z from 'zod/mini'
import { errorBody } from '../server/http/api-error.ts'
import { isPrice } from '../server/providers/prices.ts'
import { Decimal } from '../src/wire/scalars.ts'
import { operator, ownGuard } from './chains/accounts.ts'
import { bitcoinOperator } from './bitcoin/accounts.ts'
import type { LocalBitcoin } from './bitcoin/start-local-bitcoin.ts'
import { solanaOperator } from './solana/accounts.ts'
import type { LocalSolana } from './solana/start-local-solana.ts'
import type { LocalChains } from './chains.ts'
import type { LocalPrices } from './prices.ts'
import type { Network } from './scenarios/networks/network.ts'
import { localKeys } from './seed.ts'
import { localBankAccount } from './simulators/start.ts'

const PriceChange = z.object({
  id: z.string().check(z.minLength(1), z.maxLength(20)),
  usd: Decimal.check(z.refine(isPrice, 'must be more than zero')),
  age_ms: z.optional(z.int().check(z.minimum(0))),
})

const mostBlocks = 100
const Mining = z.object({ chain_id: z.int(), blocks: z.optional(z.int().check(z.minimum(1), z.maximum(mostBlocks))) })

export interface LocalRouteParts {
  readonly chains: LocalChains
  readonly bitcoin: LocalBitcoin
  readonly solana: LocalSolana
  readonly networks: readonly Network[]
  readonly prices: LocalPrices
  readonly shopUrl: string
}

/** These routes exist only in local mode, since they reveal keys of funded accounts and let anyone set prices and mine blocks. */
export function localRoutes(app: Hono, { chains, bitcoin, solana, networks, prices, shopUrl }: LocalRouteParts): void {
  app.get('/', (c) => c.redirect(shopUrl))
  app.get('/test/fixtures', (c) =>
    c.json({
      organization: { api_key: localKeys.apiKey, api_secret: localKeys.secret, webhook_secret: localKeys.webhookSecret },
      // This one signs for its refunds itself.
      guarded_organization: { api_key: localKeys.guardedKey, api_secret: localKeys.guardedSecret, guard: ownGuard },
      chains: [...chains.chains, bitcoin.chain, solana.chain],
      accounts: chains.accounts,
      // These have coins on the chains of other families.
      wallets: [...bitcoin.wallets, ...solana.wallets],
      // Anybody may try to steal with these.
      operators: [
        ...chains.chains.map(({ chain_id }) => ({ chain_id, ...operator })),
        { chain_id: bitcoin.chain.chain_id, ...bitcoinOperator },
        { chain_id: solana.chain.chain_id, ...solanaOperator },
      ],
      bank_account_id: localBankAccount,
    }),
  )
  app.post('/test/mine', async (c) => {
    const mining = z.safeParse(Mining, await c.req.json().catch(() => undefined))
    if (!mining.success) return c.json(errorBody(400, `Send {chain_id, blocks?}, with 1 to ${mostBlocks} blocks.`), 400)
    const { chain_id, blocks = 1 } = mining.data
    const network = networks.find(({ chainId }) => chainId === chain_id)
    if (!network) return c.json(errorBody(404, `There is no local chain ${chain_id}.`), 404)
    await network.mine(blocks)
    return c.json({ ok: true })
  })
  app.post('/test/prices', async (c) => {
    const change = z.safeParse(PriceChange, await c.req.json().catch(() => undefined))
    if (!change.success)
      return c.json(
        { error: 'Bad Request', message: 'Send {id, usd, age_ms?}; usd is a decimal string of more than zero.', code: 400 },
        400,
      )
    await prices.set(change.data.id, change.data.usd, change.data.age_ms)
    return c.json({ ok: true })
  })
}
