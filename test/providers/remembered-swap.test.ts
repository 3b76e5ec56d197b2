import { expect, test } from 'vitest'
import { rememberedSwap } from '../../server/providers/remembered-swap.ts'
import type { Swap, SwapAsk } from '../../server/providers/swap.ts'

const ask = (more: Partial<SwapAsk> = {}): SwapAsk => ({
  from: { chainId: 8453, address: '0xa' },
  to: { chainId: 8453, address: '0xb' },
  amount: 5n,
  tradeType: 'EXACT_OUTPUT',
  signal: AbortSignal.timeout(1_000),
  ...more,
})

function counting(answer: () => ReturnType<Swap['quote']>) {
  const asked: SwapAsk[] = []
  const inner: Swap = {
    quote: (question) => {
      asked.push(question)
      return answer()
    },
    call: () => ({ router: '', data: '' }),
  }
  let time = 0
  return { asked, swap: rememberedSwap(inner, () => time), wait: (ms: number) => void (time += ms) }
}

test('default: equal questions within three seconds share one request', async () => {
  const { asked, swap, wait } = counting(async () => 'no_route')
  await Promise.all([swap.quote(ask()), swap.quote(ask()), swap.quote(ask({ signal: AbortSignal.timeout(5) }))])
  expect(asked).toHaveLength(1)
  await swap.quote(ask({ amount: 6n }))
  await swap.quote(ask({ tradeType: 'EXACT_INPUT' }))
  await swap.quote(ask({ to: { chainId: 8453, address: null } }))
  expect(asked).toHaveLength(4)
  wait(3_001)
  await swap.quote(ask())
  expect(asked).toHaveLength(5)
})

test('error: a failed request is not cached', async () => {
  let fails = true
  const { asked, swap } = counting(async () => {
    if (fails) throw new Error('away')
    return 'no_route'
  })
  await expect(swap.quote(ask())).rejects.toThrow('away')
  fails = false
  expect(await swap.quote(ask())).toBe('no_route')
  expect(asked).toHaveLength(2)
})
