/** Built, not parsed: hosts with Trusted Types have no innerHTML. */
export const drawing = (path: string): SVGElement => {
  const make = (tag: string) => document.createElementNS('http://www.w3.org/2000/svg', tag) as SVGElement
  const svg = make('svg')
  const line = make('path')
  svg.setAttribute('viewBox', '0 0 20 20')
  svg.ariaHidden = 'true'
  line.setAttribute('d', path)
  svg.append(line)
  return svg
}
