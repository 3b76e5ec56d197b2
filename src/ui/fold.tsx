import type { ComponentChildren, TargetedEvent } from 'preact'
import { Icon } from './icon.tsx'

interface FoldProps {
  readonly title: ComponentChildren
  readonly open?: boolean
  readonly onToggle?: (event: TargetedEvent<HTMLDetailsElement>) => void
  readonly children: ComponentChildren
}

/** This is a `<details>` element, so that it opens without scripts. */
export const Fold = ({ title, children, ...attributes }: FoldProps) => (
  <details class="fold" {...attributes}>
    <summary>
      {title}
      <Icon name="down" />
    </summary>
    <div>{children}</div>
  </details>
)
