import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../support/root.ts'
import { documents, read } from './blocks.ts'

const isFence = /^```[^]*?^```$/gm
const linksOf = (doc: string): string[] =>
  [
    ...read(doc)
      .replace(isFence, '')
      .matchAll(/\]\(([^)\s]+)\)/g),
  ]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target))

/** Derives anchors from headings as GitHub does. */
const anchorsOf = (doc: string): string[] =>
  [
    ...read(doc)
      .replace(isFence, '')
      .matchAll(/^#+ (.+)$/gm),
  ].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/ /g, '-'),
  )

test.each(documents)('default: links of %s resolve', (doc) => {
  const broken = linksOf(doc).filter((link) => {
    const [path = '', anchor] = link.split('#')
    const target = path === '' ? doc : normalize(join(dirname(doc), path))
    return !existsSync(join(root, target)) || (anchor !== undefined && !anchorsOf(target).includes(anchor))
  })
  expect(broken).toEqual([])
})

test('behavior: every guide can be reached from the README', () => {
  const reached = new Set(['README.md'])
  for (const doc of reached)
    for (const link of linksOf(doc)) {
      const target = normalize(join(dirname(doc), link.split('#')[0] ?? ''))
      if (documents.includes(target)) reached.add(target)
    }
  expect(documents.filter((doc) => doc.startsWith('docs/guides/') && !reached.has(doc))).toEqual([])
})

test('behavior: images in the documents are at most 120 KiB', () => {
  const pictures = documents
    .flatMap((doc) => linksOf(doc).map((link) => normalize(join(dirname(doc), link))))
    .filter((path) => path.endsWith('.webp'))
  expect(pictures.length).toBeGreaterThan(3)
  expect(pictures.filter((path) => statSync(join(root, path)).size > 120 * 1024)).toEqual([])
})

test('behavior: every setting is documented, and no other', () => {
  const source = [
    'server/config.ts',
    'server/providers/price-sources/price-config.ts',
    'server/operator/deploy-factory.ts',
    'server/operator/release.ts',
    'server/guard/guard-config.ts',
  ]
    .map((path) => readFileSync(join(root, path), 'utf8'))
    .join('\n')
  const named = [...source.matchAll(/(?<![A-Z_])'?([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|PORT|HOST)'?(?=[),\s.])/g)].map(([, name = '']) => name)
  const providers = [...source.matchAll(/provider\('([A-Z]+)'\)/g)].flatMap(([, name]) => [`${name}_URL`, `${name}_SECRET`])
  const settings = new Set([...named, ...providers].filter((name) => !/^(ERR|PARSE)_/.test(name)))
  const documented = new Set([...read('docs/configuration.md').matchAll(/`([A-Z][A-Z0-9_]+)`/g)].map(([, name = '']) => name))
  expect([...documented].sort()).toEqual([...settings].sort())
})
