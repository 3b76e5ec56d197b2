import type { Scenario } from '../scenario.ts'

export const slowConfirmations: Scenario = {
  name: 'slow-confirmations',
  title: 'Slow confirmations',
  sentence: 'The network is in no hurry: block after block, the page counts the confirmations.',
  way: 'direct',
  families: ['evm', 'bitcoin'],
  async play({ due, money, ready, say, text, look, until, withBlocks }) {
    const send = await ready(money(due))
    await withBlocks(async ({ mine }) => {
      say(`The payer sends ${text(money(due))}.`)
      const hash = await send()
      let last: { seen: number; needed: number } = { seen: 0, needed: 1 }
      while (last.seen < last.needed) {
        await mine()
        const { seen } = last
        await until(({ payment }) => {
          const mine = payment?.funding?.transactions.find(({ tx_hash }) => tx_hash === hash)
          if (mine) last = { seen: mine.confirmations, needed: mine.required_confirmations }
          return last.seen > seen
        })
        say(`${last.seen} of ${last.needed} confirmations.`)
        await look()
      }
    })
    await until(({ status }) => status === 'COMPLETED')
    say('It is confirmed and passed on to the shop.')
  },
  ends: ({ received, due }) => ({ status: 'COMPLETED', received: received + due, remaining: 0n }),
}
