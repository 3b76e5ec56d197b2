import type { Scenario } from '../scenario.ts'

/** The service does not count or settle what was sent, so the order is as unpaid as it was. */
const unpaid =
  (held: string): Scenario['ends'] =>
  ({ received, due }) => ({ status: received > 0n ? 'PARTIAL_PAYMENT' : 'AWAITING_PAYMENT', received, remaining: due, held })

export const wrongChain: Scenario = {
  name: 'wrong-chain',
  title: 'Wrong network',
  sentence: 'The payer sends on a network that the order does not take: the money is seen, held and shown, and the order still waits.',
  way: 'direct',
  families: ['evm'],
  settlesOnce: true,
  async play({ due, money, otherChain, pay, say, text, until }) {
    say(`The payer sends ${text(otherChain)}, and ${text(money(due))} is due.`)
    await pay(otherChain)
    await until(({ payment }) => payment?.funding?.transactions.some(({ state }) => state === 'held') ?? false)
    say('It is at the same address on the other network, held for the payer. The order still waits.')
  },
  ends: unpaid('wrong_chain'),
}

export const wrongToken: Scenario = {
  name: 'wrong-token',
  title: 'Wrong token',
  sentence: 'The payer sends another token: it is seen, held and shown, and the order still waits.',
  way: 'direct',
  families: ['evm'],
  async play({ due, money, otherToken, pay, say, text, until }) {
    say(`The payer sends ${text(otherToken)}, and ${text(money(due))} is due.`)
    await pay(otherToken)
    await until(({ payment }) => payment?.funding?.transactions.some(({ state }) => state === 'held') ?? false)
    say('It is held for the payer at the same address. The order still waits.')
  },
  ends: unpaid('wrong_token'),
}
