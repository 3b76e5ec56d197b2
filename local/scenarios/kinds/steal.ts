import { CannotPlay } from '../cannot-play.ts'
import type { Scenario } from '../scenario.ts'

export const steal: Scenario = {
  name: 'steal',
  title: 'A stolen key',
  sentence: 'Somebody has copied the key that settles and tries to take the payer’s money, which can only reach the merchant.',
  way: 'direct',
  families: ['evm'],
  async play({ due, money, pay, say, text, look, until, thiefOf }) {
    const part = (due * 3n) / 5n
    say(`The payer sends ${text(money(part))}, and ${text(money(due))} is due.`)
    await pay(money(part))
    const paid = await until(({ status }) => status === 'PARTIAL_PAYMENT')
    await look()
    const thief = thiefOf(paid, money(part))
    const refused = await thief.tryToTake()
    if (refused < 4) throw new CannotPlay(`Only ${refused} of 4 attempts to take the money were refused.`)
    say('The thief tries to take it by every call that the key can make. The contract refuses all of them.')
    await look()
    await thief.settleEarly()
    say('The thief settles it early, out of spite. It goes to the merchant.')
    await look()
    say(`The payer sends the rest, ${text(money(due - part))}.`)
    await pay(money(due - part))
    await until(({ status }) => status === 'COMPLETED')
    say('It is confirmed, and the merchant has all of it, once.')
  },
  ends: ({ received, due }) => ({ status: 'COMPLETED', received: received + due, remaining: 0n }),
}
