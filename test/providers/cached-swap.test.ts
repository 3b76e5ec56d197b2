import { expect, test } from 'vitest'
import { cachedSwap } from '../../server/providers/cached-swap.ts'
import type { Swap, SwapAsk } from '../../server/chains/swap.ts'

const ask = (more: Partial<SwapAsk> = {}): SwapAsk => ({
  from: { chainId: 8453, address: '0xa' },
  to: { chainId: 8453, address: '0xb' },
  amount: 5n,
  tradeType: 'EXACT_OUTPUT',
  signal: AbortSignal.timeout(1_000),
  ...more,
})

function counting(answer: () => ReturnType<Swap['quote']>) {
  const requests: SwapAsk[] = []
  const inner: Swap = {
    quote: (question) => {
      requests.push(question)
      return answer()
    },
  }
  let time = 0
  return { requests, swap: cachedSwap(inner, () => time), wait: (ms: number) => void (time += ms) }
}

test('default: equal questions within three seconds share one request', async () => {
  const { requests, swap, wait } = counting(async () => 'no_route')
  await Promise.all([swap.quote(ask()), swap.quote(ask()), swap.quote(ask({ signal: AbortSignal.timeout(5) }))])
  expect(requests).toHaveLength(1)
  await swap.quote(ask({ amount: 6n }))
  await swap.quote(ask({ tradeType: 'EXACT_INPUT' }))
  await swap.quote(ask({ to: { chainId: 8453, address: null } }))
  expect(requests).toHaveLength(4)
  wait(3_001)
  await swap.quote(ask())
  expect(requests).toHaveLength(5)
})

test('error: a failed request is not cached', async () => {
  let fails = true
  const { requests, swap } = counting(async () => {
    if (fails) throw new Error('away')
    return 'no_route'
  })
  await expect(swap.quote(ask())).rejects.toThrow('away')
  fails = false
  expect(await swap.quote(ask())).toBe('no_route')
  expect(requests).toHaveLength(2)
})
