import type { ComponentChildren } from 'preact'
import { Icon, type IconName } from './icon.tsx'

interface NoteProps {
  readonly icon?: IconName
  readonly tone?: 'ok' | 'warn' | 'bad'
  /** Said when it appears. */
  readonly live?: boolean
  readonly title?: ComponentChildren
  readonly children?: ComponentChildren
}

/** Neutral, unless money needs attention: then only the icon has the tone. */
export const Note = ({ icon = 'info', tone, live, title, children }: NoteProps) => (
  <div class={tone ? `note ${tone}` : 'note'} role={live ? 'status' : undefined}>
    <Icon name={icon} />
    <div>
      {title && <b>{title}</b>}
      {children}
    </div>
  </div>
)
