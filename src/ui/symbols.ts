import { iconPaths } from './icon-paths.ts'
import { type MarkPath, networkMarks, tokenMarks, walletMarks } from './mark-paths.ts'

type Attributes = Readonly<Record<string, string>>

export interface SymbolDrawing {
  readonly viewBox: string
  readonly paths: readonly Attributes[]
}

const mark = (path: MarkPath): Attributes =>
  'fill' in path ? { d: path.d, fill: path.fill } : { d: path.d, stroke: path.stroke, 'stroke-width': String(path.width) }

const marks = (prefix: string, table: Readonly<Record<string, readonly MarkPath[]>>): [string, SymbolDrawing][] =>
  Object.entries(table).map(([name, paths]) => [`m-${prefix}${name}`, { viewBox: '0 0 24 24', paths: paths.map(mark) }])

/** Every icon and mark that a page can refer to, by its id. */
export const symbols: ReadonlyMap<string, SymbolDrawing> = new Map([
  ...Object.entries(iconPaths).map(([name, d]): [string, SymbolDrawing] => [`i-${name}`, { viewBox: '0 0 20 20', paths: [{ d }] }]),
  ...marks('n', networkMarks),
  ...marks('t', tokenMarks),
  ...marks('w', walletMarks),
])
