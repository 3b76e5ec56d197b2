import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../support/root.ts'

/** Every row of docs/threat-model.md must name a test file that exists. */

const text = readFileSync(join(root, 'docs/threat-model.md'), 'utf8')
const rows = text.split('\n').filter((line) => /^\| .* \| .* \| .*\|$/.test(line) && !line.startsWith('| threat |'))

test('behavior: every threat names a test that exists', () => {
  expect(rows.length).toBeGreaterThan(20)
  for (const row of rows) {
    const [, threat, , proof] = row.split('|').map((cell) => cell.trim())
    const paths = [...(proof ?? '').matchAll(/`(test\/[^`]+)`/g)].map(([, path]) => path ?? '')
    expect(paths, threat).not.toEqual([])
    for (const path of paths) expect(existsSync(join(root, path)), path).toBe(true)
  }
})

test('behavior: the threat model names every test file of this folder', () => {
  const tests = readdirSync(import.meta.dirname).filter((file) => file.endsWith('.test.ts') && file !== basename(import.meta.filename))
  for (const file of tests) expect(text).toContain(`test/abuse/${file}`)
})
