import type { Scenario } from '../scenario.ts'
import { percent, type Share, share } from '../share.ts'

const underpaid = (name: string, part: Share): Omit<Scenario, 'parameter'> => ({
  name,
  title: 'Underpay',
  sentence: `The payer sends ${part.text} of what is due: it counts, and the page asks for the rest.`,
  way: 'direct',
  families: ['evm', 'bitcoin', 'solana'],
  async play({ due, money, pay, say, text, until }) {
    const less = money(part.of(due))
    say(`The payer sends ${text(less)}, and ${text(money(due))} is due.`)
    await pay(less)
    await until(({ payment }) => payment?.funding?.transactions.some(({ state }) => state === 'seen' || state === 'confirmed') ?? false)
    say('The transfer is on the network and waits for its confirmations.')
    await until(({ status }) => status === 'PARTIAL_PAYMENT')
    say(`It is confirmed and counts. ${text(money(due - part.of(due)))} remain, at the same address.`)
  },
  ends: ({ received, due }) => ({ status: 'PARTIAL_PAYMENT', received: received + part.of(due), remaining: due - part.of(due) }),
})

export const underpay: Scenario = {
  ...underpaid('underpay', share('three fifths', 6_000n)),
  parameter: {
    example: 'underpay:37%',
    // Less than a twentieth changes no order.
    expected: 'a share of what is due, from 5% to 99%',
    apply: (text) => {
      const part = percent(text, { min: 500n, max: 9_900n })
      return part && underpaid(`underpay:${text}`, part)
    },
  },
}

const overpaid = (name: string, extra: Share): Omit<Scenario, 'parameter'> => ({
  name,
  title: 'Overpay',
  sentence: `The payer sends ${extra.text} too much: the order completes, and the surplus is held and shown to both sides.`,
  way: 'direct',
  families: ['evm', 'bitcoin', 'solana'],
  async play({ due, money, pay, say, text, until }) {
    const more = money(due + extra.of(due))
    say(`The payer sends ${text(more)}, and ${text(money(due))} is due.`)
    await pay(more)
    await until(({ status }) => status === 'EXECUTING_ORDER' || status === 'COMPLETED')
    say('It is confirmed. The shop gets what is due.')
    await until(({ status }) => status === 'COMPLETED')
    say(`Done. ${text(money(extra.of(due)))} too many are held for the payer.`)
  },
  ends: ({ received, due }) => ({
    status: 'COMPLETED',
    received: received + due + extra.of(due),
    remaining: 0n,
    surplus: extra.of(due),
  }),
})

export const overpay: Scenario = {
  ...overpaid('overpay', share('a fifth', 2_000n)),
  parameter: {
    example: 'overpay:50%',
    expected: 'a share of what is due, from 1% to 100%',
    apply: (text) => {
      const extra = percent(text, { min: 100n, max: 10_000n })
      return extra && overpaid(`overpay:${text}`, extra)
    },
  },
}
