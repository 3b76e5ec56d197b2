import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { httpCard } from '../../server/providers/card.ts'
import { callbackHeader } from '../../server/providers/callback.ts'
import { signal, startTestChain } from '../chains/support.ts'
import { type CardUnderTest, cardContract } from '../contracts/card.ts'
import { askOf, cardSecret, startCards } from '../support/service/cards.ts'

cardContract('the simulated provider over HTTP', async () => {
  const test = await startTestChain()
  const callbacks: { header: string | undefined; body: Uint8Array }[] = []
  const callbackServer = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      callbacks.push({ header: request.headers[callbackHeader] as string | undefined, body: Buffer.concat(parts) })
      response.writeHead(204).end()
    })
  })
  await new Promise<void>((resolve) => callbackServer.listen(0, '127.0.0.1', resolve))
  const cards = await startCards(
    new Map([[8453, test.anvil.rpcUrl]]),
    () => `http://127.0.0.1:${(callbackServer.address() as AddressInfo).port}`,
  )
  const address = `0x${'cd'.repeat(20)}`
  const { chain } = test
  const under: CardUnderTest = {
    desk: httpCard({ url: cards.url, secret: cardSecret }),
    secret: cardSecret,
    ask: askOf(test.token('USDC'), address),
    callbacks,
    act: async (session, deed) => {
      await cards.press(session.hosted_url, deed)
    },
    refuse: (problem) => cards.wish({ refuses: problem ?? null }),
    away: (down) => cards.wish({ down }),
    delivered: async () => (await chain.balances([address], test.token('USDC'), (await chain.head(signal)).number, signal))[0]!,
    stop: async () => {
      await cards.stop()
      callbackServer.close()
      await test.stop()
    },
  }
  return under
})
