import type { Scenario } from '../scenario.ts'

const intervalMs = 200
/** Nobody may be watching. */
const longestWaitMs = 10_000

export const socketDrop: Scenario = {
  name: 'socket-drop',
  title: 'Socket drop',
  sentence: 'The page’s live connection drops again and again while the money arrives; the page finds out all the same.',
  way: 'direct',
  families: ['evm', 'bitcoin', 'solana'],
  async play({ due, money, ready, say, text, look, until, dropSockets }) {
    const send = await ready(money(due))
    let drops = 0
    const drop = () => {
      if (dropSockets() > 0) drops++
    }
    const timer = setInterval(drop, intervalMs)
    try {
      say('The live connection drops, and drops again as soon as it is back.')
      drop()
      await look()
      const end = performance.now() + longestWaitMs
      await until(() => drops > 1 || performance.now() > end)
      say(`Meanwhile the payer sends ${text(money(due))}.`)
      await send()
      await until(({ status }) => status === 'COMPLETED')
    } finally {
      clearInterval(timer)
    }
    say('It is paid, and the connection holds again. The page catches up.')
  },
  ends: ({ received, due }) => ({ status: 'COMPLETED', received: received + due, remaining: 0n }),
}
