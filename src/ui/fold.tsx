import type { ComponentChildren } from 'preact'
import { Icon } from './icon.tsx'

/** This is a `<details>` element, so that it opens without scripts. */
export const Fold = ({ title, open, children }: { title: ComponentChildren; open?: boolean; children: ComponentChildren }) => (
  <details class="fold" open={open}>
    <summary>
      {title}
      <Icon name="down" />
    </summary>
    <div>{children}</div>
  </details>
)
