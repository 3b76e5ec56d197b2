export type IconName =
  | 'back'
  | 'card'
  | 'check'
  | 'clock'
  | 'copy'
  | 'down'
  | 'find'
  | 'held'
  | 'info'
  | 'item'
  | 'lost'
  | 'next'
  | 'out'
  | 'phone'
  | 'print'
  | 'qr'
  | 'reload'
  | 'returned'
  | 'save'
  | 'sign'
  | 'swap'
  | 'till'
  | 'wallet'
  | 'warn'

/** Arrows point where the reading goes. */
const directed = /back|next|out|returned/

/** Drawn from the page's own sheet (icon-sheet.tsx). */
export const Icon = ({ name }: { name: IconName }) => (
  <svg class={directed.test(name) ? 'i flip' : 'i'} aria-hidden="true">
    <use href={`#i-${name}`} />
  </svg>
)
