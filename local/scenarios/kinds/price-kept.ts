import type { Scenario } from '../scenario.ts'

export const priceKept: Scenario = {
  name: 'price-kept',
  title: 'Price kept',
  sentence: 'The coin falls by 5 % after the payer was quoted an amount; the quote holds for half an hour, so the amount suffices.',
  way: 'direct',
  families: ['bitcoin', 'solana'],
  async play({ due, money, ready, say, text, until, withLowerPrice }) {
    const send = await ready(money(due))
    say('The coin’s price falls by 5 %.')
    await withLowerPrice(async () => {
      say(`The payer sends ${text(money(due))}, as the page asked for.`)
      await send()
      await until(({ status }) => status === 'COMPLETED')
    })
    say('It counts at the price that the payer was quoted, and was passed on to the shop as it came.')
  },
  ends: ({ received, due }) => ({ status: 'COMPLETED', received: received + due, remaining: 0n }),
}
