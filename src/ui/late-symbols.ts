import { symbols } from './symbols.ts'

const svg = (name: 'symbol' | 'path', attributes: Readonly<Record<string, string>>): SVGElement => {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name)
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value)
  return element
}

/** Adds the icons and marks that the first response did not need. */
export const addLateSymbols = (): void => {
  const sheet = document.getElementById('symbols')
  for (const [id, { viewBox, paths }] of symbols) {
    if (document.getElementById(id)) continue
    const symbol = svg('symbol', { id, viewBox })
    symbol.append(...paths.map((path) => svg('path', path)))
    sheet?.append(symbol)
  }
}
