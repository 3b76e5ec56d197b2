import { Hono } from 'hono'
import { listen } from '../../../server/http/listen.ts'
import type { CardRequest } from '../../../server/providers/card.ts'
import { cardProvider } from '../../../local/chains/accounts.ts'
import { cardSimulator } from '../../../local/simulators/card.ts'
import { tokenSender } from '../../../local/simulators/delivery.ts'

export const cardSecret = 'a secret of the card provider'

export interface CardProvider {
  /** The value for CARD_URL. */
  readonly url: string
  /** Submits the page's form with this action. */
  press(hostedUrl: string, deed: string): Promise<Response>
  wish(wish: object): Promise<void>
  /** Whoever is charged gets no tokens until the returned function is called. */
  holdTokens(): () => void
  stop(): Promise<void>
}

/** Serves the simulated card provider, which posts its callbacks to `payUrl`. */
export async function startCards(rpcUrls: ReadonlyMap<number, string>, payUrl: () => string, slowMs = 1_000): Promise<CardProvider> {
  const app = new Hono()
  const opened = await listen((request) => app.fetch(request), { host: '127.0.0.1', port: 0 })
  const url = `http://127.0.0.1:${opened.port}`
  const send = tokenSender(cardProvider, rpcUrls)
  let mayDeliver: Promise<void> | undefined
  const prices: Record<string, string> = { eth: '2500', eur: '1.08' }
  const simulator = cardSimulator({
    secret: cardSecret,
    at: () => url,
    payUrl,
    usdOf: async (id) => prices[id.toLowerCase()] ?? '1',
    deliver: async (to) => {
      await mayDeliver
      return send(to)
    },
    slowMs,
  })
  app.route('/', simulator.provider)
  app.route('/', simulator.controls)
  return {
    url,
    press: (hostedUrl, deed) => fetch(hostedUrl, { method: 'POST', body: new URLSearchParams({ deed }) }),
    wish: async (wish) => {
      const answer = await fetch(`${url}/test/card`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(wish),
      })
      if (!answer.ok) throw new Error(await answer.text())
    },
    holdTokens() {
      let release!: () => void
      mayDeliver = new Promise((resolve) => (release = resolve))
      return release
    },
    async stop() {
      simulator.stop()
      const closed = opened.close()
      opened.server.closeAllConnections()
      await closed
    },
  }
}

export const askOf = (token: string, address: string): CardRequest => ({
  reference: 'ord_1',
  fiat: 'usd',
  deliver: { chain_id: 8453, token, symbol: 'USDC', decimals: 6, amount: '42500000', address },
  return_url: 'https://pay.example/pay/ord_1?method=card',
})
