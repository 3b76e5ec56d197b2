import type { ComponentChildren } from 'preact'
import { Icon, type IconName } from './icon.tsx'

interface NoteProps {
  readonly icon?: IconName
  readonly tone?: 'ok' | 'warn' | 'bad'
  /** Screen readers announce the note when it appears. */
  readonly live?: boolean
  readonly title?: ComponentChildren
  readonly children?: ComponentChildren
}

/** The tone colours the icon and the background. The text keeps its colour, so that it stays readable. */
export const Note = ({ icon = 'info', tone, live, title, children }: NoteProps) => (
  <div class={tone ? `note ${tone}` : 'note'} role={live ? 'status' : undefined}>
    <Icon name={icon} />
    <div>
      {title && <b>{title}</b>}
      {children}
    </div>
  </div>
)
