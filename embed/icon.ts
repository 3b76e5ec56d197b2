/** The icon is built element by element, because pages that enforce Trusted Types do not allow a string as innerHTML. */
export const createIcon = (path: string): SVGElement => {
  const make = (tag: string) => document.createElementNS('http://www.w3.org/2000/svg', tag) as SVGElement
  const svg = make('svg')
  const stroke = make('path')
  svg.setAttribute('viewBox', '0 0 20 20')
  svg.ariaHidden = 'true'
  stroke.setAttribute('d', path)
  svg.append(stroke)
  return svg
}
