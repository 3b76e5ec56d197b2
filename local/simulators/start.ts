import { randomBytes } from 'node:crypto'
import { Hono } from 'hono'
import { createWalletClient, erc20Abi, http, parseUnits, publicActions } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { listen } from '../../server/http/listen.ts'
import { type Bank, httpBank } from '../../server/providers/bank.ts'
import { httpIdentity, type Identity } from '../../server/providers/identity.ts'
import { type CardProvider, httpCard } from '../../server/providers/card.ts'
import type { Prices } from '../../server/providers/prices.ts'
import { cardProvider, merchant, owner } from '../chains/accounts.ts'
import { localOrganizationId } from '../seed.ts'
import { bankSimulator } from './bank.ts'
import { cardSimulator, cardSimulatorFee } from './card.ts'
import { tokenSender } from './delivery.ts'
import { identitySimulator } from './identity.ts'

export interface Simulators {
  readonly bank: Bank
  readonly identity: Identity
  readonly card: CardProvider
  /** Tests and developers control the providers through these routes under /test. */
  readonly controls: Hono
  stop(): Promise<void>
}

export interface SimulatorsParts {
  readonly payUrl: () => string
  readonly rpcUrl: string
  readonly rpcUrls: ReadonlyMap<number, string>
  readonly prices: Prices
  readonly dollar: string
  /** The identity provider stores its customers in this folder. */
  readonly folder: string
}

export const localBankAccount = 'bank_local'

/** Starts local mode's providers on a port of their own, so that the service calls them like any provider. */
export async function startSimulators({ payUrl, rpcUrl, rpcUrls, prices, dollar, folder }: SimulatorsParts): Promise<Simulators> {
  const secrets = {
    bank: randomBytes(24).toString('hex'),
    identity: randomBytes(24).toString('hex'),
    card: randomBytes(24).toString('hex'),
  }
  const wallet = createWalletClient({ account: privateKeyToAccount(owner.private_key), transport: http(rpcUrl) }).extend(publicActions)
  const destination = { currency: { chain_id: 8453 as const, address: dollar }, wallet_address: merchant.address }
  const bank = bankSimulator({
    secret: secrets.bank,
    accounts: new Map([[localBankAccount, { organizationId: localOrganizationId, destination }]]),
    payUrl,
    async deliver(to, amount) {
      const hash = await wallet.writeContract({
        chain: null,
        address: dollar as `0x${string}`,
        abi: erc20Abi,
        functionName: 'transfer',
        args: [to.wallet_address as `0x${string}`, parseUnits(amount, 6)],
      })
      await wallet.waitForTransactionReceipt({ hash, pollingInterval: 100, timeout: 10_000 })
      return hash
    },
  })
  const identity = identitySimulator({ secret: secrets.identity, payUrl, folder })
  const card = cardSimulator({
    secret: secrets.card,
    at: () => `${at}/card`,
    payUrl,
    usdOf: async (id) => (await prices.get(id))?.usd ?? '1',
    deliver: tokenSender(cardProvider, rpcUrls),
  })
  const app = new Hono()
  app.route('/card', card.provider)
  app.route('/bank', bank.provider)
  app.route('/identity', identity.provider)
  const opened = await listen((request) => app.fetch(request), { host: '127.0.0.1', port: 0 })
  const controls = new Hono()
  controls.route('/', bank.controls)
  controls.route('/', identity.controls)
  controls.route('/', card.controls)
  const at = `http://127.0.0.1:${opened.port}`
  return {
    bank: httpBank({ url: `${at}/bank`, secret: secrets.bank }),
    identity: httpIdentity({ url: `${at}/identity`, secret: secrets.identity }),
    card: httpCard({ url: `${at}/card`, secret: secrets.card, fee: cardSimulatorFee }),
    controls,
    async stop() {
      card.stop()
      const closed = opened.close()
      opened.server.closeAllConnections()
      await closed
    },
  }
}
