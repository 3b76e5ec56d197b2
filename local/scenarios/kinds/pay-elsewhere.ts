import type { Scenario } from '../scenario.ts'

type Texts = Pick<Scenario, 'name' | 'title' | 'sentence' | 'families'>

/** The plainest payment on a family of chains. */
const payOn = (texts: Texts, waits: string): Scenario => ({
  ...texts,
  way: 'direct',
  async play({ due, money, pay, say, text, until }) {
    say(`The payer sends ${text(money(due))}.`)
    await pay(money(due))
    await until(({ status }) => status !== 'AWAITING_PAYMENT' && status !== 'PARTIAL_PAYMENT')
    say(waits)
    await until(({ status }) => status === 'COMPLETED')
    say('It is confirmed and in the shop’s wallet.')
  },
  ends: ({ received, due }) => ({ status: 'COMPLETED', received: received + due, remaining: 0n }),
})

export const payBitcoin = payOn(
  {
    name: 'pay-bitcoin',
    title: 'Paid in bitcoin',
    sentence: 'The payer sends what is due in bitcoin: it is seen at once, waits for its blocks, and goes to the shop’s wallet.',
    families: ['bitcoin'],
  },
  'It is seen, and waits for its blocks.',
)

export const paySolana = payOn(
  {
    name: 'pay-solana',
    title: 'Paid on Solana',
    sentence:
      'The payer sends what is due on Solana: it is seen within a second, final a few seconds later, and goes to the shop’s wallet.',
    families: ['solana'],
  },
  'It is seen, and final in a moment.',
)
