import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createMutex } from '../../local/chains/mutex.ts'
import { recordUrl, recordedUrl } from '../../local/datafolder.ts'
import { scenarioCommand } from '../../local/scenarios/command.ts'
import { openPlay } from '../../local/scenarios/play.ts'
import { findScenario } from '../../local/scenarios/find-scenario.ts'
import { scenarios } from '../../local/scenarios/table.ts'

/** The parts of the scenario player that need no service. test/docs/scenarios.test.ts plays the scenarios. */

test('default: every scenario that the product promises exists and is described in one sentence', () => {
  expect(scenarios.map(({ name }) => name)).toEqual([
    'underpay',
    'overpay',
    'late',
    'reorg',
    'wrong-chain',
    'wrong-token',
    'socket-drop',
    'slow-confirmations',
    'card-declined',
    'price-moved',
    'steal',
    'pay-bitcoin',
    'pay-solana',
    'replaced',
    'taken-back',
    'price-kept',
  ])
  for (const { sentence } of scenarios) expect(sentence).toMatch(/^[^.]+\.$/)
})

function emptyFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'till-scenario-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

async function scenario(args: readonly string[], dataFolder = emptyFolder()) {
  const [out, err]: [string[], string[]] = [[], []]
  const code = await scenarioCommand({ args, dataFolder, say: (line) => out.push(line), printError: (line) => err.push(line) })
  return { code, out: out.join('\n'), err: err.join('\n') }
}

test('behavior: without a name the command lists every scenario', async () => {
  const { code, out } = await scenario([])
  expect(code).toBe(0)
  for (const { name, sentence } of scenarios) expect(out).toMatch(new RegExp(`^  ${name} +${sentence}$`, 'm'))
})

test('error: an unknown name and a wrong option exit with one sentence and code 2', async () => {
  const unknown = await scenario(['nothing'])
  expect([unknown.code, unknown.out]).toEqual([2, ''])
  expect(unknown.err).toBe(`There is no scenario "nothing". There are: ${scenarios.map(({ name }) => name).join(', ')}.`)
  expect((await scenario(['late', '--look', 'long'])).code).toBe(2)
  expect((await scenario(['late', '--chain', 'bitcoin'])).err).toBe('--chain takes the number of a chain.')
  expect((await scenario(['late', 'reorg'])).code).toBe(2)
  expect((await scenario(['--slowly'])).code).toBe(2)
})

describe('parameters', () => {
  const sentenceOf = (text: string) => {
    const found = findScenario(text)
    return 'scenario' in found ? found.scenario.sentence : found.problem
  }

  test.each(scenarios.flatMap(({ name, parameter }) => (parameter ? [{ name, parameter }] : [])))(
    'default: $parameter.example is a scenario that its own name finds again',
    ({ name, parameter }) => {
      const found = findScenario(parameter.example)
      if (!('scenario' in found)) throw new Error(found.problem)
      expect(found.scenario.name).toBe(parameter.example)
      expect(found.scenario.sentence).not.toBe(sentenceOf(name))
      expect(found.scenario.sentence).toMatch(/^[^.]+\.$/)
      expect(findScenario(new URL(`http://localhost/?simulate=${parameter.example}`).searchParams.get('simulate') ?? '')).toMatchObject({
        scenario: { name: parameter.example },
      })
    },
  )

  test('default: the amounts follow the share, in whole units and without a float', () => {
    const start = { received: 0n, due: 42_500_000n }
    const endOf = (text: string, due = start.due) => {
      const found = findScenario(text)
      return 'scenario' in found ? found.scenario.ends({ ...start, due }) : found
    }
    expect(endOf('underpay')).toMatchObject({ received: 25_500_000n, remaining: 17_000_000n })
    expect(endOf('underpay:37%')).toMatchObject({ received: 15_725_000n, remaining: 26_775_000n })
    expect(endOf('underpay:33.33%', 1_001n)).toMatchObject({ received: 334n, remaining: 667n })
    expect(endOf('overpay:100%')).toMatchObject({ received: 85_000_000n, surplus: 42_500_000n })
    fc.assert(
      fc.property(fc.bigInt(1_000n, 10n ** 30n), fc.integer({ min: 5, max: 99 }), (due, percent) => {
        const { received, remaining } = endOf(`underpay:${percent}%`, due) as { received: bigint; remaining: bigint }
        expect(received + remaining).toBe(due)
        expect(received * 100n >= due * BigInt(percent)).toBe(true)
        expect(remaining > 0n).toBe(true)
      }),
    )
  })

  test.each([
    ['underpay:', '"underpay" takes a share of what is due, from 5% to 99%, like underpay:37%, and has "".'],
    ['underpay:37', 'and has "37".'],
    ['underpay:4.99%', 'from 5% to 99%, like underpay:37%, and has "4.99%".'],
    ['underpay:99.01%', 'and has "99.01%".'],
    ['underpay:1e1%', 'and has "1e1%".'],
    ['overpay:0%', '"overpay" takes a share of what is due, from 1% to 100%, like overpay:50%, and has "0%".'],
    ['overpay:100.01%', 'and has "100.01%".'],
    ['late:2m', '"late" takes a time after the deadline, from +1s to +600s or from +1m to +10m, like late:+2m, and has "2m".'],
    ['late:+11m', 'and has "+11m".'],
    ['late:+0s', 'and has "+0s".'],
    ['late:+1h', 'and has "+1h".'],
    ['reorg:0', '"reorg" takes how many times in a row, from 1 to 9, like reorg:3, and has "0".'],
    ['reorg:10', 'and has "10".'],
    ['reorg:3:1', 'and has "3:1".'],
    ['steal:all', '"steal" takes no parameter, and has "all".'],
    ['constructor:1', 'There is no scenario "constructor". There are: underpay, '],
  ])('error: %s says what was expected', (text, problem) => {
    expect(sentenceOf(text)).toContain(problem)
  })
})

test('error: without a running instance it says in one sentence what to do and exits with code 1', async () => {
  const none = await scenario(['late'])
  expect([none.code, none.out]).toEqual([1, ''])
  expect(none.err).toBe('Till does not run here: start it with npm start, or say where it is with --url.')
  const folder = emptyFolder()
  recordUrl(folder, 'http://127.0.0.1:9')
  const gone = await scenario(['late'], folder)
  expect(gone.code).toBe(1)
  expect(gone.err).toBe('Nothing answers at http://127.0.0.1:9: start Till with npm start, or say where it is with --url.')
})

test('default: the address of the instance is recorded, and removed again', () => {
  const folder = emptyFolder()
  expect(recordedUrl(folder)).toBeUndefined()
  const forget = recordUrl(folder, 'http://localhost:4020')
  expect(recordedUrl(folder)).toBe('http://localhost:4020')
  forget()
  expect(recordedUrl(folder)).toBeUndefined()
})

test('behavior: every follower of a play receives it from its first line, whenever it joins', async () => {
  const play = openPlay('late')
  const never = new AbortController().signal
  const collect = async () => {
    const received: string[] = []
    for await (const event of play.follow(never)) received.push(event.at)
    return received
  }
  const early = collect()
  play.emit({ at: 'order', id: 'ord_1', url: 'http://localhost:4020/pay/ord_1' })
  play.emit({ at: 'step', text: 'One.' })
  const late = collect()
  play.emit({ at: 'reached', text: 'EXPIRED' })
  expect(await early).toEqual(['order', 'step', 'reached'])
  expect(await late).toEqual(['order', 'step', 'reached'])
  expect(await collect()).toEqual(['order', 'step', 'reached'])
})

test('behavior: a follower that aborts stops waiting', async () => {
  const leaving = new AbortController()
  const events = openPlay('late').follow(leaving.signal)
  const next = events.next()
  leaving.abort()
  expect((await next).done).toBe(true)
})

test('behavior: turns run one at a time, in order, and one that fails stops no other', async () => {
  const turn = createMutex()
  const seen: string[] = []
  const at = (name: string) => async () => {
    seen.push(`${name} begins`)
    await Promise.resolve()
    seen.push(`${name} ends`)
    if (name === 'b') throw new Error('b')
  }
  const all = await Promise.allSettled(['a', 'b', 'c'].map((name) => turn(at(name))))
  expect(seen).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends'])
  expect(all.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
})
