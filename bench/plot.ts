import { writeFile } from 'node:fs/promises'

/** `values` holds the cost at each of the sizes that the plot is given. */
export interface Curve {
  readonly name: string
  readonly unit: string
  readonly values: readonly number[]
}

const panel = { width: 360, height: 200, left: 56, right: 16, top: 44, bottom: 36 }
const inner = { width: panel.width - panel.left - panel.right, height: panel.height - panel.top - panel.bottom }

const style = `
  svg { font: 12px system-ui, sans-serif; background: #fff; color: #1c2430 }
  .name { font-weight: 600; fill: currentColor } .tick { fill: #5b6675 } .grid { stroke: #e3e7ec }
  .curve { fill: none; stroke: #1f6feb; stroke-width: 2 } .dot { fill: #1f6feb }
  @media (prefers-color-scheme: dark) {
    svg { background: #12161c; color: #e8edf3 } .tick { fill: #9aa6b5 } .grid { stroke: #2a323d } .curve { stroke: #6ea8ff } .dot { fill: #6ea8ff }
  }`

const shown = (value: number): string => (value >= 100 ? value.toFixed(0) : value.toPrecision(2))

/** The axis ends at a round number above all values, so that a nearly constant cost is drawn as a flat line. */
function ceiling(values: readonly number[]): number {
  const most = Math.max(...values, Number.EPSILON)
  const power = 10 ** Math.floor(Math.log10(most))
  return [1, 2, 5, 10].map((step) => step * power).find((edge) => edge >= most * 1.1) ?? most
}

function drawPanel({ name, unit, values }: Curve, sizes: readonly number[], at: number): string {
  const top = ceiling(values)
  const [low, high] = [Math.log10(sizes[0] ?? 1), Math.log10(sizes.at(-1) ?? 10)]
  const x = (size: number) => panel.left + ((Math.log10(size) - low) / (high - low)) * inner.width
  const y = (value: number) => panel.top + (1 - value / top) * inner.height
  const points = values.map((value, index) => [x(sizes[index] ?? 1), y(value)] as const)
  const grid = [0, 0.5, 1].map((share) => {
    const line = y(top * share)
    return `<line class="grid" x1="${panel.left}" x2="${panel.width - panel.right}" y1="${line}" y2="${line}"/><text class="tick" x="${panel.left - 8}" y="${line + 4}" text-anchor="end">${shown(top * share)}</text>`
  })
  const marks = points.map(
    ([left, up], index) =>
      `<circle class="dot" cx="${left.toFixed(1)}" cy="${up.toFixed(1)}" r="3.5"/><text class="tick" x="${left.toFixed(1)}" y="${(up - 9).toFixed(1)}" text-anchor="middle">${shown(values[index] ?? 0)}</text><text class="tick" x="${left.toFixed(1)}" y="${panel.height - 14}" text-anchor="middle">${(sizes[index] ?? 0).toLocaleString('en')}</text>`,
  )
  return `<g transform="translate(${(at % 2) * panel.width} ${Math.floor(at / 2) * panel.height})">
<text class="name" x="${panel.left}" y="22">${name}, ${unit}</text>
${grid.join('\n')}
<polyline class="curve" points="${points.map(([left, up]) => `${left.toFixed(1)},${up.toFixed(1)}`).join(' ')}"/>
${marks.join('\n')}
</g>`
}

/** Plots cost against load with one panel per cost. The load axis is logarithmic, because the sizes grow tenfold. */
export function plot(file: string, sizes: readonly number[], curves: readonly Curve[]): Promise<void> {
  const height = Math.ceil(curves.length / 2) * panel.height + 24
  const caption = `<text class="tick" x="${panel.width}" y="${height - 8}" text-anchor="middle">open orders, each with a socket</text>`
  const body = curves.map((curve, at) => drawPanel(curve, sizes, at)).join('\n')
  return writeFile(
    file,
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${panel.width * 2} ${height}" role="img" aria-label="Cost against load"><style>${style}</style>\n${body}\n${caption}\n</svg>\n`,
  )
}
