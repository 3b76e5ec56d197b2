import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../support/root.ts'

/** A fenced block of a document. The info string says how to run it: ```kind what key=value. */
export interface Block {
  readonly doc: string
  /** The position as `docs/chains.md:12`, for error messages. */
  readonly name: string
  readonly kind: string
  /** The second word of the info string. */
  readonly what: string | undefined
  /** The name of the file to write next to the blocks that follow. */
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
