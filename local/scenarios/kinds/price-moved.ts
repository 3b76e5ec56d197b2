import type { Scenario } from '../scenario.ts'

export const priceMoved: Scenario = {
  name: 'price-moved',
  title: 'Price moved',
  sentence: 'The coin that is paid with falls by 5 % before it can be converted: the money is held, and tried again a minute later.',
  way: 'coin',
  families: ['evm'],
  async play({ due, money, pay, say, text, until, withLowerPrice }) {
    say('Somebody sells a lot of the coin. Its price falls by 5 %.')
    await withLowerPrice(async () => {
      say(`The payer sends ${text(money(due))}, as the page asked for.`)
      await pay(money(due))
      await until(({ status }) => status === 'FAILED')
      say('What it would bring now is less than the shop is owed: nothing is converted, all of it is held.')
    })
    say('The price is back. In a minute the service tries again, by itself.')
  },
  ends: ({ received, due }) => ({ status: 'FAILED', received: received + due, remaining: 0n, held: 'settlement_failed' }),
}
