import { CannotPlay } from '../cannot-play.ts'
import type { Scenario } from '../scenario.ts'

const seconds = 4

const lateBy = (name: string, after?: { readonly text: string; readonly ms: number }): Omit<Scenario, 'parameter'> => ({
  name,
  title: 'Late',
  sentence: `The time runs out with nothing received; then${after ? `, ${after.text} later,` : ''} the money comes after all, and it counts.`,
  way: 'direct',
  families: ['evm', 'bitcoin', 'solana'],
  async play({ received, due, shortenDeadline, money, ready, say, text, look, wait, until }) {
    if (received > 0n) throw new CannotPlay('Part of this order is paid already: it waits for the rest and does not run out of time.')
    const send = await ready(money(due))
    say(`The time to pay is over in ${seconds} seconds, and nobody pays.`)
    await shortenDeadline(seconds)
    await until(({ status }) => status === 'EXPIRED')
    say('The order has expired. The page keeps watching the address.')
    await look()
    if (after) await wait(after.ms)
    say(`Now the payer sends ${text(money(due))}.`)
    await send()
    await until(({ status }) => status === 'COMPLETED')
    say('It arrived late, still covered the order, and was passed on to the shop.')
  },
  ends: ({ due }) => ({ status: 'COMPLETED', received: due, remaining: 0n }),
})

const units = { s: { ms: 1_000, most: 600, text: 'seconds' }, m: { ms: 60_000, most: 10, text: 'minutes' } } as const

export const late: Scenario = {
  ...lateBy('late'),
  parameter: {
    example: 'late:+2m',
    expected: 'a time after the deadline, from +1s to +600s or from +1m to +10m',
    apply: (text) => {
      // In a link's query, a plus that nobody has encoded is a space.
      const [, digits, unit] = /^[+ ]([1-9]\d{0,2})([sm])$/.exec(text) ?? []
      if (digits === undefined || (unit !== 's' && unit !== 'm')) return undefined
      const count = Number(digits)
      const { ms, most, text: name } = units[unit]
      return count <= most ? lateBy(`late:+${count}${unit}`, { text: `${count} ${name}`, ms: count * ms }) : undefined
    },
  },
}
