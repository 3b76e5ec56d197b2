import type { Scenario } from '../scenario.ts'

export const wrongToken: Scenario = {
  name: 'wrong-token',
  title: 'Wrong token',
  sentence: 'The payer sends another token: it is seen, held and shown, and the order still waits.',
  way: 'direct',
  async play({ due, money, otherToken, pay, say, text, until }) {
    say(`The payer sends ${text(otherToken)}, and ${text(money(due))} is due.`)
    await pay(otherToken)
    await until(({ payment }) => payment?.funding?.transactions.some(({ state }) => state === 'held') ?? false)
    say('It is held for the payer at the same address. The order still waits.')
  },
  ends: ({ received, due }) => ({
    status: received > 0n ? 'PARTIAL_PAYMENT' : 'AWAITING_PAYMENT',
    received,
    remaining: due,
    held: 'wrong_token',
  }),
}
