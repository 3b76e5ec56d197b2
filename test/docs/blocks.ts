import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../support/root.ts'

/** A fenced piece of a document. What stands behind the fence says how it is run: ```kind what key=value. */
export interface Block {
  readonly doc: string
  /** `docs/chains.md:12`, for whoever has to find it. */
  readonly name: string
  readonly kind: string
  /** The second word, where there is one. */
  readonly what: string | undefined
  /** It is a file of this name beside what runs after it. */
  readonly file: string | undefined
  readonly text: string
}

export const documents: readonly string[] = ['README.md', 'CONTRIBUTING.md', 'ARCHITECTURE.md', 'CHANGELOG.md', ...inDocs()]

export const read = (doc: string): string => readFileSync(join(root, doc), 'utf8')

export function blocksOf(doc: string): Block[] {
  const blocks: Block[] = []
  const lines = read(doc).split('\n')
  for (let at = 0; at < lines.length; at++) {
    const info = /^```(.*)$/.exec(lines[at] ?? '')?.[1]
    if (info === undefined) continue
    const end = lines.indexOf('```', at + 1)
    if (end < 0) throw new Error(`${doc}:${at + 1} opens a block that nothing closes`)
    const [kind = '', ...more] = info.split(/\s+/)
    blocks.push({
      doc,
      name: `${doc}:${at + 1}`,
      kind,
      what: more.find((word) => !word.includes('=')),
      file: more.find((word) => word.startsWith('file='))?.slice(5),
      text: lines.slice(at + 1, end).join('\n'),
    })
    at = end
  }
  return blocks
}

function inDocs(): string[] {
  const files = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
  return files
    .filter((file) => file.endsWith('.md'))
    .map((file) => `docs/${file}`)
    .sort()
}
