import { hashOf, type Word } from './words.ts'

const parent = (a: Word, b: Word): Word => hashOf(a < b ? a + b : b + a)

/** Joins neighbours, and takes one without a neighbour as it is. */
const nextLevel = (nodes: readonly Word[]): Word[] =>
  nodes.flatMap((node, i) => (i % 2 === 1 ? [] : [i + 1 < nodes.length ? parent(node, nodes[i + 1]!) : node]))

export function merkleRoot(leaves: readonly Word[]): Word {
  let nodes = leaves
  while (nodes.length > 1) nodes = nextLevel(nodes)
  if (nodes[0] === undefined) throw new Error('A tree has a leaf.')
  return nodes[0]
}

/** Returns what the leaf at this place has to be joined with, level by level, to reach the root. */
export function merklePath(leaves: readonly Word[], place: number): Word[] {
  const path: Word[] = []
  let at = place
  for (let nodes = leaves; nodes.length > 1; nodes = nextLevel(nodes)) {
    const neighbour = nodes[at % 2 === 0 ? at + 1 : at - 1]
    if (neighbour !== undefined) path.push(neighbour)
    at = Math.floor(at / 2)
  }
  return path
}
