import type { Scenario } from '../scenario.ts'

export const payBitcoin: Scenario = {
  name: 'pay-bitcoin',
  title: 'Paid in bitcoin',
  sentence: 'The payer sends what is due in bitcoin: it is seen at once, waits for its blocks, and goes to the shop’s wallet.',
  way: 'direct',
  families: ['bitcoin'],
  async play({ due, money, pay, say, text, until }) {
    say(`The payer sends ${text(money(due))}.`)
    await pay(money(due))
    await until(({ status }) => status !== 'AWAITING_PAYMENT' && status !== 'PARTIAL_PAYMENT')
    say('It is seen, and waits for its blocks.')
    await until(({ status }) => status === 'COMPLETED')
    say('It is confirmed and in the shop’s wallet.')
  },
  ends: ({ received, due }) => ({ status: 'COMPLETED', received: received + due, remaining: 0n }),
}
