import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ChainUnavailable } from '../../server/chains/chain.ts'
import { type MinedTransaction, type NodeAnswer, secondNode, unreachableForMs } from '../../server/chains/second-node.ts'
import { signal } from '../chains/support.ts'

const minedTransaction = (txHash: string): MinedTransaction => ({ txHash, blockHash: '0xb1' })
const minute = 60_000

function setup({ isRequired = false } = {}) {
  const state = { now: 0, nodes: 2, answer: 'agrees' as NodeAnswer, asked: 0 }
  const answers: string[] = []
  const agreed = secondNode({
    isRequired,
    clock: () => state.now,
    onAnswer: ({ txHash }, answer) => answers.push(`${txHash} ${answer}`),
    compare: async (transactions) => {
      state.asked++
      if (state.nodes === 0) throw new ChainUnavailable(1, 'chain_unavailable', 'no node answered.')
      return { nodes: state.nodes, answers: transactions.map(() => state.answer) }
    },
  })
  const isAgreed = async (txHash = '0x1') => (await agreed([minedTransaction(txHash)], signal)).has(txHash)
  return { state, answers, agreed, isAgreed }
}

describe('second node', () => {
  test('behavior: costs nothing while nothing is final, and one comparison for everything that is', async () => {
    const { state, agreed } = setup()
    expect(await agreed([], signal)).toEqual(new Set())
    expect(state.asked).toBe(0)
    expect(await agreed([minedTransaction('0x1'), minedTransaction('0x2')], signal)).toEqual(new Set(['0x1', '0x2']))
    expect(state.asked).toBe(1)
  })

  test.each(['differs', 'behind'] as const)('behavior: a node that %s keeps everything waiting, and is counted once', async (answer) => {
    const { state, answers, isAgreed } = setup()
    state.answer = answer
    for (let i = 0; i < 100; i++) {
      state.now += minute
      expect(await isAgreed()).toBe(false)
    }
    state.answer = 'agrees'
    expect(await isAgreed()).toBe(true)
    expect(answers).toEqual([`0x1 ${answer}`, '0x1 agrees'])
  })

  test('behavior: after ten minutes without a second node one suffices, until the second is back', async () => {
    const { state, answers, isAgreed } = setup()
    state.nodes = 1
    for (; state.now < unreachableForMs; state.now += minute) expect(await isAgreed()).toBe(false)
    expect(await isAgreed()).toBe(true)
    expect(answers).toEqual(['0x1 unreachable', '0x1 skipped'])

    state.now += minute
    state.answer = 'differs'
    expect(await isAgreed('0x2')).toBe(false)
    state.answer = 'agrees'
    state.nodes = 2
    state.now += minute
    expect(await isAgreed('0x2')).toBe(true)
    state.nodes = 1
    state.now += minute
    expect(await isAgreed('0x3')).toBe(false)
  })

  test('behavior: where a second node is required everything waits for it', async () => {
    const { state, answers, isAgreed } = setup({ isRequired: true })
    state.nodes = 1
    for (; state.now < 10 * unreachableForMs; state.now += minute) expect(await isAgreed()).toBe(false)
    expect(answers).toEqual(['0x1 unreachable'])
  })

  test('behavior: asks a node that does not answer at most twice a minute', async () => {
    const { state, isAgreed } = setup()
    state.nodes = 1
    for (; state.now < minute; state.now += 1000) await isAgreed()
    expect(state.asked).toBe(2)
  })

  test('behavior: an outage that nobody watched proves nothing', async () => {
    const { state, isAgreed } = setup()
    state.nodes = 1
    await isAgreed()
    state.now += 2 * unreachableForMs
    expect(await isAgreed('0x2')).toBe(false)
  })

  test('error: without any node nothing is known, and the caller backs off', async () => {
    const { state, isAgreed } = setup()
    state.nodes = 0
    await expect(isAgreed()).rejects.toMatchObject({ name: 'ChainUnavailable' })
  })

  test('property: one node never decides before ten minutes of asking, and a doubt is never overruled', async () => {
    const step = fc.record({
      ms: fc.integer({ min: 0, max: 15 * minute }),
      nodes: fc.constantFrom(1, 1, 1, 2),
      answer: fc.constantFrom<NodeAnswer>('agrees', 'agrees', 'agrees', 'differs', 'behind'),
    })
    await fc.assert(
      fc.asyncProperty(fc.boolean(), fc.array(step, { maxLength: 40 }), async (isRequired, steps) => {
        const { state, isAgreed } = setup({ isRequired })
        let alone: { since: number; last: number } | undefined
        for (const { ms, nodes, answer } of steps) {
          state.now += ms
          Object.assign(state, { nodes, answer })
          const before = state.asked
          const is = await isAgreed()
          if (state.asked === before) {
            expect(is).toBe(false)
            continue
          }
          const { now } = state
          const isSameOutage = alone !== undefined && now - alone.last <= unreachableForMs
          alone = nodes === 2 ? undefined : { since: isSameOutage ? alone!.since : now, last: now }
          const isLong = !isRequired && alone !== undefined && now - alone.since >= unreachableForMs
          expect(is).toBe(answer === 'agrees' && (nodes === 2 || isLong))
        }
      }),
    )
  })
})
