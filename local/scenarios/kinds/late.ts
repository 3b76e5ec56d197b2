import { CannotPlay } from '../cannot-play.ts'
import type { Scenario } from '../scenario.ts'

const seconds = 4

export const late: Scenario = {
  name: 'late',
  title: 'Late',
  sentence: 'The time runs out with nothing received; then the money comes after all, and it counts.',
  way: 'direct',
  families: ['evm', 'bitcoin', 'solana'],
  async play({ received, due, shortenDeadline, money, ready, say, text, look, until }) {
    if (received > 0n) throw new CannotPlay('Part of this order is paid already: it waits for the rest and does not run out of time.')
    const send = await ready(money(due))
    say(`The time to pay is over in ${seconds} seconds, and nobody pays.`)
    await shortenDeadline(seconds)
    await until(({ status }) => status === 'EXPIRED')
    say('The order has expired. The page keeps watching the address.')
    await look()
    say(`Now the payer sends ${text(money(due))}.`)
    await send()
    await until(({ status }) => status === 'COMPLETED')
    say('It came late, still covered the order, and was passed on to the shop.')
  },
  ends: ({ due }) => ({ status: 'COMPLETED', received: due, remaining: 0n }),
}
