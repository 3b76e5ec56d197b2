import type { Order } from '../../../src/wire/order.ts'
import type { Scenario } from '../scenario.ts'

const isSeen = ({ payment }: Order, hash: string): boolean =>
  payment?.funding?.transactions.some(({ tx_hash }) => tx_hash === hash) ?? false

export const replaced: Scenario = {
  name: 'replaced',
  title: 'Replaced',
  sentence: 'The payer’s wallet replaces the waiting transfer by one with a higher fee: the page goes on with that one.',
  way: 'direct',
  families: ['bitcoin'],
  async play({ due, money, readyToReplace, say, text, look, until, withBlocks }) {
    const transfer = await readyToReplace(money(due))
    await withBlocks(async ({ mine }) => {
      say(`The payer sends ${text(money(due))}, with a low fee.`)
      const first = await transfer.send()
      await until((order) => isSeen(order, first))
      say('The transfer is seen, and waits for a block.')
      await look()
      say('The payer is in a hurry: the wallet sends it again, with a higher fee.')
      const second = await transfer.withHigherFee()
      await until((order) => isSeen(order, second) && !isSeen(order, first))
      say('The new transfer has taken the place of the old one. Nothing else is asked for.')
      await look()
      await mine()
    })
    await until(({ status }) => status === 'COMPLETED')
    say('It is confirmed and passed on to the shop, once.')
  },
  ends: ({ received, due }) => ({ status: 'COMPLETED', received: received + due, remaining: 0n }),
}

export const takenBack: Scenario = {
  name: 'taken-back',
  title: 'Taken back',
  sentence:
    'The payer’s wallet replaces the waiting transfer by one that pays somebody else: the page says so, and asks for the money again.',
  way: 'direct',
  families: ['bitcoin'],
  async play({ due, money, readyToReplace, say, text, look, until, withBlocks }) {
    const transfer = await readyToReplace(money(due))
    await withBlocks(async ({ mine }) => {
      say(`The payer sends ${text(money(due))}.`)
      const first = await transfer.send()
      await until((order) => isSeen(order, first))
      say('The transfer is seen, and waits for a block.')
      await look()
      say('The wallet replaces it by a transfer of the same coins that does not pay this order.')
      await transfer.takeBack()
      await until((order) => !isSeen(order, first))
      await mine()
    })
    say('What was seen will never come. Nothing was passed on, and the page asks again.')
  },
  ends: ({ received, due }) => ({ status: received > 0n ? 'PARTIAL_PAYMENT' : 'AWAITING_PAYMENT', received, remaining: due }),
}
