import { iconPaths } from './icon-paths.ts'

const svg = (name: 'symbol' | 'path', attributes: Readonly<Record<string, string>>): SVGElement => {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name)
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value)
  return element
}

/** Adds the icons that the first response did not need. */
export const addLateIcons = (): void => {
  const sheet = document.getElementById('icons')
  for (const [name, d] of Object.entries(iconPaths)) {
    const id = `i-${name}`
    if (document.getElementById(id)) continue
    const symbol = svg('symbol', { id, viewBox: '0 0 20 20' })
    symbol.append(svg('path', { d }))
    sheet?.append(symbol)
  }
}
