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

/** These icons have a direction, so they are mirrored in right-to-left languages. */
const directed = /back|next|out|returned/

/** The paths are in the HTML (icon-sheet.tsx), so this only refers to them. */
export const Icon = ({ name }: { name: IconName }) => (
  <svg class={directed.test(name) ? 'i flip' : 'i'} aria-hidden="true">
    <use href={`#i-${name}`} />
  </svg>
)
