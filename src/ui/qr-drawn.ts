/** The codes that the server drew, read back: the encoder is not needed for what is already on the page. */
export const drawnCodes = (root: Element): Map<string, { size: number; path: string }> =>
  new Map(
    [...root.querySelectorAll('svg[data-qr]')].flatMap((svg) => {
      const text = svg.getAttribute('data-qr')
      const path = svg.querySelector('path')?.getAttribute('d')
      const side = Number(svg.getAttribute('viewBox')?.split(' ')[2])
      return text && path ? [[text, { size: side - 8, path }] as const] : []
    }),
  )
