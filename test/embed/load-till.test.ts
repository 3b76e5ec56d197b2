// @vitest-environment happy-dom
import { beforeEach, expect, test, vi } from 'vitest'
import type { Till } from '../../embed/till.ts'

beforeEach(() => {
  vi.resetModules()
  delete window.Till
  document.head.replaceChildren()
})
const load = async () => (await import('../../embed/load-till.ts')).loadTill
const scripts = () => [...document.head.querySelectorAll('script')]
function arrive(till: Till) {
  const early = window.Till
  window.Till = till
  if (Array.isArray(early)) early.forEach((run) => run(till))
}
const till = { open: () => {}, prepare: () => {} } as unknown as Till
// happy-dom would fetch a script that is inserted into the document.
const options = { payUrl: 'https://pay.example/', nonce: 'abc' }
const added: HTMLScriptElement[] = []
beforeEach(() => {
  added.length = 0
  vi.spyOn(document.head, 'append').mockImplementation((...nodes) => {
    for (const node of nodes) if (node instanceof HTMLScriptElement) added.push(node)
  })
})

test('default: repeated calls load one script', async () => {
  const loadTill = await load()
  const both = [loadTill(options), loadTill(options)]
  expect(added.map(({ src, async, nonce }) => ({ src, async, nonce }))).toEqual([
    { src: 'https://pay.example/till.js', async: true, nonce: 'abc' },
  ])
  arrive(till)
  expect(await Promise.all(both)).toEqual([till, till])
  expect(await loadTill(options)).toBe(till)
  expect(scripts()).toEqual([])
})

test('behavior: one version is loaded, of which other bytes are refused', async () => {
  const loadTill = await load()
  const loading = loadTill({ ...options, version: '3.8.0', integrity: 'sha384-abc' })
  expect(added.map(({ src, integrity, crossOrigin }) => ({ src, integrity, crossOrigin }))).toEqual([
    { src: 'https://pay.example/till.js?v=3.8.0', integrity: 'sha384-abc', crossOrigin: 'anonymous' },
  ])
  arrive(till)
  expect(await loading).toBe(till)
})

test('behavior: an existing script is reused', async () => {
  const loadTill = await load()
  window.Till = till
  expect(await loadTill(options)).toBe(till)
  expect(added).toEqual([])
})

test('error: a failure names the URL and is not cached', async () => {
  const loadTill = await load()
  const first = loadTill(options)
  added[0]!.dispatchEvent(new Event('error'))
  await expect(first).rejects.toThrow('https://pay.example/till.js')
  const second = loadTill(options)
  expect(added.length).toBe(2)
  arrive(till)
  expect(await second).toBe(till)
})

test('behavior: an element with the id Till is not taken for the script', async () => {
  const loadTill = await load()
  const details = document.createElement('details')
  window.Till = details as never
  const loading = loadTill(options)
  arrive(till)
  expect(await loading).toBe(till)
})
