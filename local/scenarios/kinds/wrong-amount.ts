import type { Scenario } from '../scenario.ts'

const part = (due: bigint): bigint => (due * 3n) / 5n

export const underpay: Scenario = {
  name: 'underpay',
  title: 'Underpay',
  sentence: 'The payer sends three fifths of what is due: it counts, and the page asks for the rest.',
  way: 'direct',
  families: ['evm', 'bitcoin', 'solana'],
  async play({ due, money, pay, say, text, until }) {
    const less = money(part(due))
    say(`The payer sends ${text(less)}, and ${text(money(due))} is due.`)
    await pay(less)
    await until(({ payment }) => payment?.funding?.transactions.some(({ state }) => state === 'seen' || state === 'confirmed') ?? false)
    say('The transfer is on the network and waits for its confirmations.')
    await until(({ status }) => status === 'PARTIAL_PAYMENT')
    say(`It is confirmed and counts. ${text(money(due - part(due)))} remain, at the same address.`)
  },
  ends: ({ received, due }) => ({ status: 'PARTIAL_PAYMENT', received: received + part(due), remaining: due - part(due) }),
}

const extra = (due: bigint): bigint => due / 5n

export const overpay: Scenario = {
  name: 'overpay',
  title: 'Overpay',
  sentence: 'The payer sends a fifth too much: the order completes, and the surplus is held and shown to both sides.',
  way: 'direct',
  families: ['evm', 'bitcoin', 'solana'],
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
