import type { ComponentChildren } from 'preact'
import { Icon, type IconName } from './icon.tsx'

export interface HeadProps {
  readonly title: ComponentChildren
  readonly children?: ComponentChildren
  readonly seal?: IconName | 'spin'
}

/** The first h1 of a screen gets the focus when the screen appears (src/app.tsx). */
export const Head = ({ title, children, seal }: HeadProps) => (
  <div class="head">
    {seal && <span class="seal">{seal === 'spin' ? <span class="spin" /> : <Icon name={seal} />}</span>}
    <h1 tabIndex={-1}>{title}</h1>
    {children && <p class="soft">{children}</p>}
  </div>
)
