import { expect, test } from 'vitest'
import { statusTexts } from '../../server/http/api-error.ts'
import { problems } from '../../src/wire/problems.ts'
import { read } from './blocks.ts'

const guide = read('docs/guides/errors.md')
/** Returns what is named in the first cells of the table under a heading. */
const namedUnder = (heading: string): string[] =>
  [...(guide.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? '').matchAll(/^\| ([^|]+) \|/gm)].flatMap(
    ([, cell = '']) => cell.match(/\w+/g) ?? [],
  )

test('default: every status code and problem of the API has its row', () => {
  expect(namedUnder('Status codes')).toEqual(expect.arrayContaining(Object.keys(statusTexts)))
  expect(namedUnder('Problems')).toEqual(expect.arrayContaining([...problems]))
})

test('default: every error of the page has its row', () => {
  const codes = /`error` \| `code`: ([^;]+);/.exec(read('docs/embed.md'))?.[1]?.match(/\w+/g) ?? []
  expect(codes.length).toBeGreaterThan(3)
  expect(namedUnder('In the page')).toEqual(expect.arrayContaining(codes))
})
