import type { Order } from '../../../src/wire/order.ts'
import type { Scenario } from '../scenario.ts'

const confirmationsOf = ({ payment }: Order, hash: string): number | undefined =>
  payment?.funding?.transactions.find(({ tx_hash }) => tx_hash === hash)?.confirmations

const reorganised = (name: string, times: number): Omit<Scenario, 'parameter'> => ({
  name,
  title: 'Reorganisation',
  sentence: `The network takes a block back and the payer’s transfer with it${times === 1 ? '' : `, ${times} times`}; later it is in another block, and counts once.`,
  way: 'direct',
  families: ['evm', 'bitcoin', 'solana'],
  async play({ due, money, ready, say, text, look, until, withBlocks }) {
    const send = await ready(money(due))
    await withBlocks(async ({ mine, removeTransaction, rebroadcast, keepsRemoved }) => {
      say(`The payer sends ${text(money(due))}.`)
      const hash = await send()
      for (let time = 1; time <= times; time++) {
        await mine()
        await until((order) => order.status === 'AWAITING_CONFIRMATION' && (confirmationsOf(order, hash) ?? 0) > 0)
        say('It is in a block, not yet confirmed.')
        await look()
        say('The network replaces that block by one without the transfer.')
        await removeTransaction(hash)
        await mine()
        if (keepsRemoved) {
          await until((order) => order.status === 'AWAITING_CONFIRMATION' && confirmationsOf(order, hash) === 0)
          say('The transfer waits for a block again. The page keeps it, and asks for nothing.')
        } else {
          await until(({ status }) => status === 'AWAITING_PAYMENT' || status === 'PARTIAL_PAYMENT')
          say('The transfer is gone, and the page asks for it again.')
        }
        await look()
        say('The transfer finds its way into another block.')
        await rebroadcast()
      }
    })
    await until(({ status }) => status === 'COMPLETED')
    say('It is confirmed and passed on, once.')
  },
  ends: ({ received, due }) => ({ status: 'COMPLETED', received: received + due, remaining: 0n }),
})

export const reorg: Scenario = {
  ...reorganised('reorg', 1),
  parameter: {
    example: 'reorg:3',
    expected: 'how many times in a row, from 1 to 9',
    apply: (text) => (/^[1-9]$/.test(text) ? reorganised(`reorg:${text}`, Number(text)) : undefined),
  },
}
