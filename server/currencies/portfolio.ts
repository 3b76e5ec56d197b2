import type * as z from 'zod/mini'
import type { Amount } from '../../src/wire/amount.ts'
import { chainFacts, chains } from '../../src/wire/chain.ts'
import type { Currency } from '../../src/wire/currency.ts'
import { endpoints } from '../../src/wire/endpoints.ts'
import type { WalletRef } from '../../src/wire/order.ts'
import type { Holding } from '../chains/chain.ts'
import { amountOf, currencyOf } from '../orders/model/snapshot.ts'
import type { Key } from '../http/access.ts'
import type { Route } from '../http/route.ts'
import type { Engine } from '../orders/engine.ts'
import { familyOfWallet } from './wallet-family.ts'
import { assetOf } from '../orders/quoting.ts'

type Wallet = z.infer<typeof WalletRef>

interface Balance {
  readonly currency: Currency
  readonly amount: Amount
}

interface Scanned {
  readonly balances: readonly Balance[]
  readonly problems: readonly string[]
}

/** A chain that does not answer delays the response by no more than this. */
const timeoutMs = 6_000
const maxBalances = 100

/** Reads each chain of each wallet independently, so that a failure is reported beside the balances that were found. */
export function portfolio(route: Route, engine: Engine): void {
  route(endpoints.portfolio, async ({ body, key }) => {
    const least = body.filter?.min_balance_usd ?? 0
    const most = body.filter?.limit ?? maxBalances
    const scanned = await Promise.all(
      body.wallets.map(async (wallet) => ({ address: wallet.address, ...(await scan(engine, key, wallet)) })),
    )
    const found = scanned.filter(({ balances, problems }) => balances.length > 0 || problems.length === 0)
    return {
      body: {
        portfolio: found.map(({ address, balances }) => ({
          address,
          balances: balances
            .filter(({ amount }) => amount.value_usd >= least)
            .sort((a, b) => b.amount.value_usd - a.amount.value_usd)
            .slice(0, most),
        })),
        errors: scanned.flatMap(({ address, problems }) => problems.map((message) => ({ address, message }))),
      },
      headers: { 'cache-control': 'no-store' },
    }
  })
}

async function scan(engine: Engine, key: Key, wallet: Wallet): Promise<Scanned> {
  const family = familyOfWallet[wallet.chain_type]
  if (![...engine.chains.values()].some(({ id, holdings }) => chains[id].family === family && holdings))
    return { balances: [], problems: [`Wallets of type ${wallet.chain_type} are not available here.`] }
  const parts = await Promise.all([...new Set(wallet.chain_ids)].map((chainId) => scanChain(engine, key, wallet.address, chainId)))
  return { balances: parts.flatMap((part) => part.balances), problems: parts.flatMap((part) => part.problems) }
}

async function scanChain(engine: Engine, { isLive }: Key, given: string, chainId: Wallet['chain_ids'][number]): Promise<Scanned> {
  const name = chainFacts(chainId)?.name
  const chain = engine.sees(isLive, chainId) ? engine.chains.get(chainId) : undefined
  if (!chain) return { balances: [], problems: [`${name} is not available here.`] }
  if (!chain.holdings) return { balances: [], problems: [`Balances on ${name} cannot be read here.`] }
  const address = chain.addresses.read(given)
  if (address === undefined) return { balances: [], problems: [`This is not an address on ${name}.`] }
  try {
    const holdings = await chain.holdings(address, AbortSignal.timeout(timeoutMs))
    const balances = await Promise.all(holdings.filter(({ amount }) => amount > 0n).map((holding) => balanceOf(engine, holding)))
    return { balances, problems: [] }
  } catch (error) {
    engine.log.warn({ err: error, chain: chainId }, 'cannot read a wallet’s balances; answering without this chain')
    return { balances: [], problems: [`${name} cannot be reached right now. Try again in a moment.`] }
  }
}

async function balanceOf(engine: Engine, { token, amount }: Holding): Promise<Balance> {
  const usd = (await engine.prices.get(token.priceId))?.usd ?? '0'
  return { currency: currencyOf(assetOf(token), usd), amount: amountOf(amount, assetOf(token), usd) }
}
