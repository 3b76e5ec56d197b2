import type { ComponentChildren } from 'preact'
import { Icon, type IconName } from './icon.tsx'

interface HeadProps {
  readonly title: ComponentChildren
  readonly children?: ComponentChildren
  /** A sign above the title; 'spin' is under way. */
  readonly seal?: IconName | 'spin'
}

/** The one h1 of a screen; focus comes here after every move. */
export const Head = ({ title, children, seal }: HeadProps) => (
  <div class="head">
    {seal && <span class="seal">{seal === 'spin' ? <span class="spin" /> : <Icon name={seal} />}</span>}
    <h1 tabIndex={-1}>{title}</h1>
    {children && <p class="soft">{children}</p>}
  </div>
)
