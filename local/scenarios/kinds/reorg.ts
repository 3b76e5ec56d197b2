import type { Scenario } from '../scenario.ts'

export const reorg: Scenario = {
  name: 'reorg',
  title: 'Reorganisation',
  sentence: 'The network takes a block back and the payer’s transfer with it; later it is in another block, and counts once.',
  way: 'direct',
  async play({ due, money, ready, say, text, look, until, withBlocks }) {
    const send = await ready(money(due))
    await withBlocks(async ({ mine, removeTransaction, rebroadcast }) => {
      say(`The payer sends ${text(money(due))}.`)
      const hash = await send()
      await mine()
      await until(({ status }) => status === 'AWAITING_CONFIRMATION')
      say('It is in a block, not yet confirmed.')
      await look()
      say('The network replaces that block by one without the transfer.')
      await removeTransaction(hash)
      await mine()
      await until(({ status }) => status === 'AWAITING_PAYMENT' || status === 'PARTIAL_PAYMENT')
      say('The transfer is gone, and the page asks for it again.')
      await look()
      say('The transfer finds its way into another block.')
      await rebroadcast()
    })
    await until(({ status }) => status === 'COMPLETED')
    say('It is confirmed and passed on, once.')
  },
  ends: ({ received, due }) => ({ status: 'COMPLETED', received: received + due, remaining: 0n }),
}
