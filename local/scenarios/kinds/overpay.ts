import type { Scenario } from '../scenario.ts'

const extra = (due: bigint): bigint => due / 5n

export const overpay: Scenario = {
  name: 'overpay',
  title: 'Overpay',
  sentence: 'The payer sends a fifth too much: the order completes, and the surplus is held and shown to both sides.',
  way: 'direct',
  async play({ due, money, pay, say, text, until }) {
    const more = money(due + extra(due))
    say(`The payer sends ${text(more)}, and ${text(money(due))} is due.`)
    await pay(more)
    await until(({ status }) => status === 'EXECUTING_ORDER' || status === 'COMPLETED')
    say('It is confirmed. The shop gets what is due.')
    await until(({ status }) => status === 'COMPLETED')
    say(`Done. ${text(money(extra(due)))} too many are held for the payer.`)
  },
  ends: ({ received, due }) => ({ status: 'COMPLETED', received: received + due + extra(due), remaining: 0n, surplus: extra(due) }),
}
